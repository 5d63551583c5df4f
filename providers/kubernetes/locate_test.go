package kubernetes

import (
	"slices"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs"
)

func TestLocate(t *testing.T) {
	const pod = "/spec/jobTemplate/spec/template/spec"
	below := func(steps ...string) specs.Path {
		return append(specs.Path{"jobTemplate", "spec", "template", "spec"}, steps...)
	}
	for pointer, want := range map[string]specs.Path{
		"/spec/schedule":                                                     {"schedule"},
		"/spec/timeZone":                                                     {"time_zone"},
		"/spec/concurrencyPolicy":                                            {"concurrencyPolicy"},
		"/spec/jobTemplate":                                                  {"jobTemplate"},
		pod + "/containers/istio-proxy":                                      below("containers", "istio-proxy"),
		pod + "/containers/main/env/A/value":                                 below("containers", "main", "env", "A", "value"),
		pod + "/containers/main/ports/80~1TCP/name":                          below("containers", "main", "ports", "80/TCP", "name"),
		pod + "/containers/main/args/0":                                      below("containers", "main", "args", "0"),
		pod + "/containers/main/volumeMounts/~1etc~1x":                       below("containers", "main", "volumeMounts", "/etc/x"),
		pod + "/volumes/cache/emptyDir/sizeLimit":                            below("volumes", "cache", "emptyDir", "sizeLimit"),
		pod + "/tolerations/2/key":                                           below("tolerations", "2", "key"),
		pod + "/containers/main/resources/limits/cpu":                        below("containers", "main", "resources", "limits", "cpu"),
		"/spec/jobTemplate/spec/template/metadata/annotations/a.example~1b":  {"jobTemplate", "spec", "template", "metadata", "annotations", "a.example/b"},
		"/metadata/labels/app.kubernetes.io~1part-of":                        {"labels", "app.kubernetes.io/part-of"},
		"/metadata/annotations":                                              {"annotations"},
		"/spec/jobTemplate/spec/podFailurePolicy/rules/0/onExitCodes/values": {"jobTemplate", "spec", "podFailurePolicy", "rules", "0", "onExitCodes", "values"},
	} {
		if got, err := located(pointer); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", pointer, got, err, want)
		}
	}
	for pointer, want := range map[string]string{
		"/status":                              "stands in /spec, /metadata/labels",
		"/spec":                                "stands in /spec, /metadata/labels",
		"/metadata/name":                       "stands in /spec, /metadata/labels",
		"/spec/suspend":                        "it is the field state, which says whether the job runs at all",
		"/metadata/annotations/rolecall~1role": "it is the field role",
		"/spec/jobTemplat":                     `no field "jobTemplat" in /spec`,
		"/spec/schedule/0":                     "/spec/schedule is one value",
		"/spec/jobTemplate/spec/template/a/b":  `no field "a" in /spec/jobTemplate/spec/template`,
		pod + "/containers/1":                  `"1" is no key: the members are told apart by name`,
		pod + "/containers/main/env/0":         `"0" is no key: the members are told apart by name`,
		pod + "/containers/main/ports/80":      "told apart by containerPort/protocol",
		pod + "/containers/main/args/first":    `"first" is no index`,
		pod + "/containers/main/securityContext/capabilities/add/NET_ADMIN": "names one member of a set",
		"spec/schedule": "is no JSON pointer",
	} {
		if got, err := located(pointer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want an error with %s", pointer, got, err, want)
		}
	}
	if got, err := locate(specs.Ignore{Manager: "m"}); got.Path != nil || !slices.Contains(got.Atomic, "args") || err != nil {
		t.Errorf("a manager: %+v, %v", got, err)
	}
}

// A pointer to any field of an object finds the path by which a change there is
// reported.
func TestLocateAgreesWithDifferences(t *testing.T) {
	containers := func(text string) specs.Spec {
		r := readManifest([]byte("apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {schedule: \"* * * * *\", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [" + text + "]}}}}}\n"))
		if len(r.found) != 1 {
			t.Fatalf("%s: %+v", text, r.troubles)
		}
		spec, _ := specOf(r.found[0].cronJob, false)
		return spec
	}
	base := containers(`{name: main, image: a, args: [x], env: [{name: A, value: b}], ports: [{containerPort: 80}]}`)
	for pointer, other := range map[string]string{
		"image":                `{name: main, image: z, args: [x], env: [{name: A, value: b}], ports: [{containerPort: 80}]}`,
		"args/0":               `{name: main, image: a, args: [z], env: [{name: A, value: b}], ports: [{containerPort: 80}]}`,
		"args/1":               `{name: main, image: a, args: [x, z], env: [{name: A, value: b}], ports: [{containerPort: 80}]}`,
		"env/A/value":          `{name: main, image: a, args: [x], env: [{name: A, value: z}], ports: [{containerPort: 80}]}`,
		"env/Z":                `{name: main, image: a, args: [x], env: [{name: A, value: b}, {name: Z, value: z}], ports: [{containerPort: 80}]}`,
		"ports/80~1TCP/name":   `{name: main, image: a, args: [x], env: [{name: A, value: b}], ports: [{containerPort: 80, name: z}]}`,
		"ports/81~1UDP":        `{name: main, image: a, args: [x], env: [{name: A, value: b}], ports: [{containerPort: 80}, {containerPort: 81, protocol: UDP}]}`,
		"volumeMounts/~1z":     `{name: main, image: a, args: [x], env: [{name: A, value: b}], ports: [{containerPort: 80}], volumeMounts: [{name: v, mountPath: /z}]}`,
		"resources/limits/cpu": `{name: main, image: a, args: [x], env: [{name: A, value: b}], ports: [{containerPort: 80}], resources: {limits: {cpu: 1}}}`,
	} {
		path, err := located("/spec/jobTemplate/spec/template/spec/containers/main/" + pointer)
		if err != nil {
			t.Error(err)
			continue
		}
		diffs := specs.Diff(base, containers(other))
		if len(diffs) != 1 {
			t.Errorf("%s: %+v", pointer, diffs)
			continue
		}
		if got, err := specs.ParsePath(diffs[0].Path); err != nil || !slices.Equal(got, path) {
			t.Errorf("%s is %q, and its difference %q", pointer, path, diffs[0].Path)
		}
	}
}
