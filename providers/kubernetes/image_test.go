package kubernetes

import "testing"

func TestPullPolicy(t *testing.T) {
	const digest = "@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	for image, always := range map[string]bool{
		"busybox":                 true,
		"busybox:latest":          true,
		"busybox:1":               false,
		"busybox:latest-1":        false,
		"busybox:Latest":          false,
		"busybox" + digest:        false,
		"busybox:1" + digest:      false,
		"busybox:latest" + digest: true,
		"r.example/a/b":           true,
		"r.example:5000/a/b":      true,
		"r.example:5000/a/b:1":    false,
		"localhost:5000/b":        true,
		"R.Example/b":             true, // a host may have capitals
		"[::1]:5000/b":            true,
		"[::1]/b:latest":          true,
		"Busybox":                 false, // no reference: it has no tag
		"a/B":                     false,
		"":                        false,
		"busybox:":                false,
		"busybox@sha256:1234":     false,
		"a__b/c-d.e--f":           true,
		"a___b":                   false,
		"http://r.example/b":      false,
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef": false, // an image id is no name
	} {
		want := "IfNotPresent"
		if always {
			want = "Always"
		}
		if got := pullPolicy(image); string(got) != want {
			t.Errorf("%q: %s, want %s", image, got, want)
		}
	}
}
