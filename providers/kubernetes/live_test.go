package kubernetes

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

func TestObserveAreas(t *testing.T) {
	read, denied := providers.Read, providers.Denied
	tests := map[string]struct {
		cfg       Config
		forbidden []string
		noNames   bool
		parts     []string
		want      map[string]providers.AreaState
		objects   int
		requests  int
		notes     int
	}{
		"whole cluster":             {want: map[string]providers.AreaState{"cluster": read}, objects: 6, requests: 1},
		"in pages":                  {cfg: Config{PageSize: 2}, want: map[string]providers.AreaState{"cluster": read}, objects: 6, requests: 3},
		"in one go":                 {cfg: Config{PageSize: -1}, want: map[string]providers.AreaState{"cluster": read}, objects: 6, requests: 1},
		"named":                     {cfg: Config{Namespaces: []string{"b", "a", "b"}}, want: map[string]providers.AreaState{"namespace/a": read, "namespace/b": read}, objects: 4, requests: 2},
		"-A over named":             {cfg: Config{Namespaces: []string{"b"}, AllNamespaces: true}, want: map[string]providers.AreaState{"cluster": read}, objects: 6, requests: 1},
		"named that is not there":   {cfg: Config{Namespaces: []string{"typo"}}, want: map[string]providers.AreaState{"namespace/typo": read}, requests: 2, notes: 1},
		"named, one is forbidden":   {cfg: Config{Namespaces: []string{"a", "b"}}, forbidden: []string{"a"}, want: map[string]providers.AreaState{"namespace/a": denied, "namespace/b": read}, objects: 2, requests: 2},
		"only namespaces":           {forbidden: []string{""}, want: map[string]providers.AreaState{"namespace/a": read, "namespace/b": read, "namespace/c": read}, objects: 6, requests: 5},
		"only one namespace":        {forbidden: []string{"", "a", "c"}, want: map[string]providers.AreaState{"namespace/a": denied, "namespace/b": read, "namespace/c": denied}, objects: 2, requests: 5},
		"nothing":                   {forbidden: []string{""}, noNames: true, want: map[string]providers.AreaState{"cluster": denied}, requests: 2},
		"one area again":            {parts: []string{"namespace/b"}, want: map[string]providers.AreaState{"namespace/b": read}, objects: 2, requests: 1},
		"one named area again":      {cfg: Config{Namespaces: []string{"a", "b"}}, parts: []string{"namespace/b"}, want: map[string]providers.AreaState{"namespace/b": read}, objects: 2, requests: 1},
		"the cluster again":         {parts: []string{"cluster"}, want: map[string]providers.AreaState{"cluster": read}, objects: 6, requests: 1},
		"an area of another source": {parts: []string{"user/root"}, want: map[string]providers.AreaState{}, requests: 0},
	}
	for name, tt := range tests {
		for _, json := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/json %v", name, json), func(t *testing.T) {
				h := &front{behind: &fakeAPI{jobs: someJobs(2, "a", "b", "c"), forbidden: tt.forbidden, noNames: tt.noNames, json: json}}
				o := served(t, h, tt.cfg).Observe(context.Background(), providers.Selection{Parts: tt.parts})
				if !maps.Equal(states(o), tt.want) {
					t.Errorf("areas %+v, want %v", o.Areas, tt.want)
				}
				if len(o.Objects) != tt.objects || o.Requests != tt.requests || h.requests() != tt.requests || len(o.Notes) != tt.notes {
					t.Errorf("%d objects, %d requests (%d said), notes %v; want %d, %d and %d", len(o.Objects), h.requests(), o.Requests, o.Notes, tt.objects, tt.requests, tt.notes)
				}
				for _, obj := range o.Objects {
					if _, ok := tt.want[obj.Part()]; !ok {
						t.Errorf("%s was read in %s, which is no area", obj.ID, obj.Part())
					}
				}
			})
		}
	}
}

func TestReadingAtOnceGivesTheSame(t *testing.T) {
	api := &fakeAPI{jobs: someJobs(3, "a", "b", "c", "d"), forbidden: []string{"", "c"}}
	together := func(n int, do func(int)) {
		done := make(chan bool)
		for i := range n {
			go func() { do(i); done <- true }()
		}
		for range n {
			<-done
		}
	}
	a := served(t, api, Config{}).Observe(context.Background(), providers.Selection{})
	b := served(t, api, Config{Each: together}).Observe(context.Background(), providers.Selection{})
	if got, want := digest(b), digest(a); got != want {
		t.Errorf("at once\n%s\none by one\n%s", got, want)
	}
}

// TestLiteralIsATemplate: what a look gives for a first ledger means the same
// as the object, also where a server would not take the object as it is.
func TestLiteralIsATemplate(t *testing.T) {
	yes, berlin := true, "Europe/Berlin"
	jobs := someJobs(4, "ns")
	jobs[0].Spec.Suspend = &yes
	jobs[1].Spec.Schedule, jobs[1].Spec.TimeZone = "CRON_TZ=Asia/Tokyo 5 4 * * *", &berlin
	jobs[2].Spec.Schedule, jobs[2].Spec.TimeZone = "TZ=Local 5 4 * * *", &berlin
	jobs[3].Labels = map[string]string{"app": "n", "rank": "010"}
	jobs[3].Annotations = map[string]string{"rolecall/role": "retry", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
	jobs[3].Spec.JobTemplate.Spec.Template.Spec.Containers[0].Args = []string{"y", "0x1f", "1e3", "line\nline", "\x1b[31m", "null", "~"}
	o := served(t, &fakeAPI{jobs: jobs}, Config{}).Observe(context.Background(), providers.Selection{Literals: true})
	if len(o.Objects) != 4 {
		t.Fatalf("%d objects, areas %v", len(o.Objects), o.Areas)
	}
	for _, obj := range o.Objects {
		want, err := translate(specs.Statement{Template: &specs.Document{Name: obj.Attr("name"), Data: obj.Literal()}})
		if err != nil {
			t.Errorf("%v in\n%s", err, obj.Literal())
			continue
		}
		if d := specs.Diff(want.Spec, obj.Spec); len(d) > 0 || want.Spec.Hash() != obj.Spec.Hash() {
			t.Errorf("%s: %+v in\n%s", obj.ID, d, obj.Literal())
		}
		if strings.Contains(string(obj.Literal()), "last-applied") || strings.Contains(string(obj.Literal()), "uid-1") {
			t.Errorf("bookkeeping in\n%s", obj.Literal())
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for name, cfg := range map[string]Config{
		"no name":        {},
		"bad selector":   {Source: "s", Selector: "a in"},
		"bad namespace":  {Source: "s", Namespaces: []string{"../kube-system"}},
		"long namespace": {Source: "s", Namespaces: []string{strings.Repeat("n", 64)}},
	} {
		if _, err := New(nil, cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestEveryCut: a list that ends anywhere before its end is an error, in both
// forms.
func TestEveryCut(t *testing.T) {
	var page []listed
	for _, j := range someJobs(3, "ns") {
		page = append(page, &j)
	}
	list := makeList("CronJobList", metav1.ListMeta{ResourceVersion: "1"}, page)
	for name, data := range map[string][]byte{
		"protobuf": encodeProto("batch/v1", "CronJobList", list),
		"json":     encodeJSON("batch/v1", "CronJobList", list),
	} {
		t.Run(name, func(t *testing.T) {
			// Behind the list protobuf has two empty fields of two bytes; a cut between fields there loses nothing.
			end := len(data)
			if name == "protobuf" {
				end -= 4
			}
			for n := range end {
				if items, err := decoded(data[:n]); err == nil {
					t.Fatalf("cut at %d of %d: no error, %d items", n, len(data), items)
				}
			}
			if items, err := decoded(data); err != nil || items != 3 {
				t.Errorf("whole: %d items, %v", items, err)
			}
			if _, err := decoded(append(slices.Clone(data), "x"...)); err == nil {
				t.Error("text behind the list: no error")
			}
		})
	}
}

func decoded(data []byte) (items int, err error) {
	defer recovered(&err)
	var bad error
	_, err = decodeList(bufio.NewReader(bytes.NewReader(data)), "CronJobList", func(f form, item []byte) {
		var cj batchv1.CronJob
		if err := f.decode(item, &cj); err != nil {
			bad = err
			return
		}
		items++
	})
	return items, errors.Join(err, bad)
}

func TestHugeLengthTakesNoMemory(t *testing.T) {
	// An item that claims 2^39 bytes, in a list that claims more.
	data := []byte(protoMagic + "\n\x17\n\x08batch/v1\x12\x0bCronJobList\x12\x80\x80\x80\x80\x80\x20\n\x00\x12\x80\x80\x80\x80\x80\x10x")
	if _, err := decoded(data); err == nil || !strings.Contains(err.Error(), "larger than the API server takes") {
		t.Errorf("error %v", err)
	}
}

func FuzzDecodeList(f *testing.F) {
	var page []listed
	for _, j := range someJobs(2, "ns") {
		page = append(page, &j)
	}
	list := makeList("CronJobList", metav1.ListMeta{Continue: "c"}, page)
	f.Add(encodeProto("batch/v1", "CronJobList", list))
	f.Add(encodeJSON("batch/v1", "CronJobList", list))
	f.Add([]byte(`{"kind":"CronJobList","metadata":{},"items":null}`))
	f.Add([]byte(protoMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := reading{}
		_, err := decodeList(bufio.NewReader(bytes.NewReader(data)), "CronJobList", func(form form, item []byte) {
			defer recovered(new(error))
			var cj batchv1.CronJob
			if form.decode(item, &cj) == nil {
				_ = r.add(&liveJob{CronJob: cj}, "s", true)
			}
		})
		if err == nil && !bytes.Contains(data, []byte("CronJobList")) {
			t.Error("no list, and no error")
		}
	})
}

// TestConnectionErrorsHideTheToken: neither the address nor the token is of use
// in a report.
func TestConnectionErrorsHideTheToken(t *testing.T) {
	for in, hidden := range map[string]string{
		"Authorization: Bearer abc.def":     "abc.def",
		"proxy said: Basic dXNlcjpwYXNz":    "dXNlcjpwYXNz",
		"exec plugin: token=s3cret expired": "s3cret",
	} {
		got := reasonOf(context.Background(), fmt.Errorf("%s: %w", in, io.ErrUnexpectedEOF), "cronjobs.batch", "")
		if strings.Contains(got, hidden) {
			t.Errorf("%q", got)
		}
	}
}

func TestLoadConfig(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := write("one", `
apiVersion: v1
kind: Config
current-context: east
clusters: [{name: c1, cluster: {server: "https://east.example"}}]
users: [{name: u, user: {token: one-secret}}]
contexts:
- {name: east, context: {cluster: c1, user: u, namespace: batch}}
- {name: bare, context: {cluster: c1, user: u}}
`)
	two := write("two", `
apiVersion: v1
kind: Config
clusters: [{name: c2, cluster: {server: "https://west.example"}}]
contexts: [{name: west, context: {cluster: c2, user: u}}]
`)
	broken := write("broken", "clusters: [")
	empty := write("empty", "apiVersion: v1\nkind: Config\n")
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	tests := map[string]struct {
		file, env, context, namespace string
		host, ns, err                 string
	}{
		"current context":     {file: one, host: "https://east.example", ns: "batch"},
		"no namespace":        {file: one, context: "bare", host: "https://east.example", ns: "default"},
		"namespace of a flag": {file: one, namespace: "mine", host: "https://east.example", ns: "mine"},
		"merged files":        {env: one + string(os.PathListSeparator) + two, context: "west", host: "https://west.example", ns: "default"},
		"file beats variable": {file: one, env: two, host: "https://east.example", ns: "batch"},
		"unknown context":     {file: one, context: "north", err: one + ", which has: bare, east; name one of these"},
		"context, none there": {env: filepath.Join(dir, "none") + string(os.PathListSeparator) + empty, context: "north", err: `context "north" is not in ` + empty + ", which has no context at all; name the file that has it with KUBECONFIG"},
		"context, no file":    {env: filepath.Join(dir, "none"), context: "north", err: `no kubeconfig was found (looked at ` + filepath.Join(dir, "none") + "); set KUBECONFIG"},
		"no such file":        {file: filepath.Join(dir, "none"), err: "no such file"},
		"nothing at all":      {env: filepath.Join(dir, "none"), err: "--kubeconfig"},
		"broken file":         {file: broken, err: "broken"},
		"no current context":  {file: two, err: "--context"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", tt.env)
			cfg, ns, err := LoadConfig(tt.file, tt.context, tt.namespace)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "one-secret") {
					t.Errorf("error %v, want one with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Host != tt.host || ns != tt.ns {
				t.Errorf("host %s, namespace %s; want %s and %s", cfg.Host, ns, tt.host, tt.ns)
			}
		})
	}
}
