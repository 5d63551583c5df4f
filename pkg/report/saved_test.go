package report

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/specs"
)

// drawn fills a value with what a report can hold, and now and then with what JSON
// cannot.
func drawn(r *rand.Rand, v reflect.Value, odd bool) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(r.Int64() - r.Int64())
	case reflect.String:
		words := []string{"", "drift", "a\nb", "<&>\u2028", "ü\U0001f980", "\x00\x1b", "\ufffd", `"\`, "\xff", "\xed\xa0\x80"}
		if !odd {
			words = words[:8]
		}
		v.SetString(words[r.IntN(len(words))])
	case reflect.Pointer:
		if r.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			drawn(r, v.Elem(), odd)
		}
	case reflect.Slice:
		if n := r.IntN(4); n < 3 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				drawn(r, v.Index(i), odd)
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			times := []time.Time{{}, time.Unix(1e9, 1).UTC(), time.Date(9999, 12, 31, 23, 59, 59, 999, time.UTC), time.Unix(1e9, 0).In(time.FixedZone("X", 3600)), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}
			if !odd {
				times = times[:3]
			}
			v.Set(reflect.ValueOf(times[r.IntN(len(times))]))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Column" || odd && r.IntN(9) == 0 {
				drawn(r, v.Field(i), odd)
			}
		}
	}
}

// TestSaved: what is not written at all is what would have been read.
func TestSaved(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var in Report
		drawn(r, reflect.ValueOf(&in).Elem(), seed%3 == 0)
		in.Schema = Schema
		tidy := in.Tidy()
		quick := comesBack(reflect.ValueOf(&tidy).Elem())
		if seed%3 != 0 && !quick {
			t.Fatalf("seed %d: it was written without need", seed)
		}
		want, wantErr := written(in)
		got, err := Saved(in)
		if (err == nil) != (wantErr == nil) || !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, quick %v: %v, %v\n%+v\n%+v", seed, quick, err, wantErr, got, want)
		}
		if quick && strings.Contains(got.Mode, "\xff") {
			t.Fatalf("seed %d: %q came back", seed, got.Mode)
		}
	}
	if r, err := Saved(Report{ObservedAt: time.Now()}); err != nil || !reflect.DeepEqual(r, must(t, Report{ObservedAt: r.ObservedAt})) {
		t.Errorf("by the clock: %+v, %v", r, err)
	}
}

// TestTidy: what is tidy stays as it is, and what is not becomes so in a list of its
// own.
func TestTidy(t *testing.T) {
	for seed := range uint64(1000) {
		var in, same Report
		drawn(rand.New(rand.NewPCG(seed, 2)), reflect.ValueOf(&in).Elem(), true)
		drawn(rand.New(rand.NewPCG(seed, 2)), reflect.ValueOf(&same).Elem(), true)
		for i := range in.Roles {
			in.Roles[i].Location.Column, same.Roles[i].Location.Column = int(seed%2), int(seed%2)
		}
		once := in.Tidy()
		if !reflect.DeepEqual(in, same) {
			t.Fatalf("seed %d: the report itself was changed", seed)
		}
		for i, x := range once.Roles {
			if !x.tidy() || i > 0 && compareRoles(once.Roles[i-1], x) > 0 {
				t.Fatalf("seed %d: not tidy: %+v", seed, x)
			}
		}
		for i, f := range once.Findings {
			if !f.tidy() || i > 0 && once.Findings[i-1].Compare(f) > 0 {
				t.Fatalf("seed %d: not tidy: %+v", seed, f)
			}
		}
		if again := once.Tidy(); !reflect.DeepEqual(again, once) {
			t.Fatalf("seed %d: tidied twice: %+v, %+v", seed, again, once)
		}
	}
}

// TestAllIsWritten: but for a column, no field is left out of what is written.
func TestAllIsWritten(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(of.Elem())
		case reflect.Struct:
			if seen[of] || of == reflect.TypeFor[time.Time]() {
				return
			}
			seen[of] = true
			for i := range of.NumField() {
				f := of.Field(i)
				column := of == reflect.TypeFor[specs.Pos]() && f.Name == "Column"
				if tag := f.Tag.Get("json"); !f.IsExported() || tag == "" && !f.Anonymous || strings.ContainsAny(tag, ",-") && !column {
					t.Errorf("%s.%s: %q", of, f.Name, tag)
				}
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[Report]())
	if len(seen) < 10 {
		t.Errorf("only %d types", len(seen))
	}
}

func BenchmarkSaved(b *testing.B) {
	at := time.Unix(1e9, 0).UTC()
	due := "2001-09-09T01:46:40Z"
	in := Report{ObservedAt: at, Roles: make([]Role, 10_000)}
	for i := range in.Roles {
		in.Roles[i] = Role{Role: "role", Source: "prod", Owner: "team", Purpose: "Keeps the records in step.", Hash: strings.Repeat("0", 68), Objects: []string{"kubernetes:prod/x/y"}, NextDue: &due, Next24h: &Day{1, []Series{{at, 0, 1}}}, Seen: Seen{From: []string{"a", "b"}}}
	}
	for name, save := range map[string]func(Report) (Report, error){"quick": Saved, "written": written} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := save(in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func must(t *testing.T, r Report) Report {
	t.Helper()
	out, err := written(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
