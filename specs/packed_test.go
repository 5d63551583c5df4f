package specs

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// drawnValue draws a value with all that one can be, up to a depth.
func drawnValue(r *rand.Rand, depth int) Value {
	kinds := []Kind{Null, Bool, Number, Text, Sealed, List, Map}
	if depth == 0 {
		kinds = kinds[:5]
	}
	v := Value{Kind: kinds[r.IntN(len(kinds))]}
	switch v.Kind {
	case Bool:
		return NewBool(r.IntN(2) == 0)
	case Number:
		return NewInt(int64(r.IntN(1 << 20)))
	case Text, Sealed:
		v.Text = strings.Repeat([]string{"", "a", "\"\n", "é", "\xff", "long "}[r.IntN(6)], r.IntN(60))
		v.Secret = v.Kind == Text && r.IntN(3) == 0
	case List:
		items := make([]Value, r.IntN(5))
		for i := range items {
			items[i] = drawnValue(r, depth-1)
		}
		return NewList(items...)
	case Map:
		members := make([]Member, r.IntN(6))
		for i := range members {
			key := strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(200))
			if r.IntN(2) == 0 {
				key = commonKeys[r.IntN(len(commonKeys))]
			}
			members[i] = Member{key, drawnValue(r, depth-1)}
		}
		v = NewMap(members...)
		v.Keyed = r.IntN(2) == 0
	}
	return v
}

// printed is the canonical form by its definition, RFC 8785, over the tree.
func printed(v Value) string {
	var parts []string
	switch v.Kind {
	case List:
		for _, m := range v.Members {
			parts = append(parts, printed(m.Value))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case Map:
		for _, m := range v.Members {
			parts = append(parts, string(appendString(nil, m.Key))+":"+printed(m.Value))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case Text:
		return string(appendString(nil, v.Text))
	case Sealed:
		return `{"sealed":` + string(appendString(nil, v.Text)) + "}"
	case Bool, Number:
		return v.Text
	}
	return "null"
}

func TestPacked(t *testing.T) {
	for seed := range uint64(20_000) {
		v := drawnValue(rand.New(rand.NewPCG(seed, 1)), 4)
		p := Pack(v)
		if got := p.Value(); !reflect.DeepEqual(got, v) {
			t.Fatalf("seed %d: %+v came back as %+v", seed, v, got)
		}
		if got := string((Spec{Body: p}).CanonicalBody()); got != printed(v) {
			t.Fatalf("seed %d: printed %s, want %s", seed, got, printed(v))
		}
		if p.Empty() != v.Empty() {
			t.Fatalf("seed %d: %+v is empty: %v", seed, v, p.Empty())
		}
		for _, m := range v.Members {
			if got := p.Get(m.Key); v.Kind == Map && !reflect.DeepEqual(got, m.Value) {
				t.Fatalf("seed %d: %s is %+v, want %+v", seed, m.Key, got, m.Value)
			}
		}
		if got := p.Get("no such key"); got.Kind != Absent {
			t.Fatalf("seed %d: a member that is not there is %+v", seed, got)
		}
	}
}

func TestPackedAbsent(t *testing.T) {
	p := Pack(Value{})
	if p != "" || !p.Empty() || !reflect.DeepEqual(p.Value(), Value{}) || p.Get("a").Kind != Absent {
		t.Errorf("%q", p)
	}
	list := NewList(Value{}, NewText("a"))
	if got := Pack(list).Value(); !reflect.DeepEqual(got, list) {
		t.Errorf("%+v", got)
	}
	if got := string(Spec{}.CanonicalBody()); got != "{}" {
		t.Error(got)
	}
}

func TestCommonKeysDiffer(t *testing.T) {
	if n := len(commonPlaces()); n != len(commonKeys) {
		t.Errorf("%d of %d common keys stand twice", len(commonKeys)-n, len(commonKeys))
	}
}
