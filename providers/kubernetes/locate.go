package kubernetes

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// Locate is that of a CronJob.
func (p *Provider) Locate(rule specs.Ignore) (specs.Rule, error) { return locate(rule) }

// Locate is that of a CronJob.
func (m *Manifests) Locate(rule specs.Ignore) (specs.Rule, error) { return locate(rule) }

// locate finds the field of a CronJob that a JSON pointer names. The members of
// a list that the API tells apart by a key are named by it, since an index names
// another member as soon as one is injected before it.
func locate(rule specs.Ignore) (specs.Rule, error) {
	if rule.Pointer == "" {
		return specs.Rule{Ignore: rule, Atomic: atomicFields}, nil
	}
	path, err := located(rule.Pointer)
	return specs.Rule{Ignore: rule, Path: path}, err
}

func located(pointer string) (specs.Path, error) {
	tokens, err := specs.ParsePointer(pointer)
	if err != nil {
		return nil, err
	}
	if len(tokens) < 2 || tokens[0] != "spec" && (tokens[0] != "metadata" || tokens[1] != "labels" && tokens[1] != "annotations") {
		return nil, fmt.Errorf("what is compared of a CronJob stands in /spec, /metadata/labels and /metadata/annotations; name a field there")
	}
	if err := hasField(tokens); err != nil {
		return nil, err
	}
	switch field := specPath(pathOf(tokens)); field {
	case "state", "role", "version":
		return nil, fmt.Errorf("it is the field %s, which %s", field, specs.Unignorable(field))
	case "schedule", "time_zone":
		return specs.Path{field}, nil
	}
	return tokens[1:], nil // below spec, or the CronJob's own labels and annotations
}

// pathOf writes the steps as the path of managed fields is written.
func pathOf(tokens []string) string {
	var b []byte
	for _, t := range tokens {
		b = stepInto(b, t)
	}
	return string(b)
}

// hasField holds a pointer to the type of a CronJob.
func hasField(tokens []string) error {
	t, key := reflect.TypeFor[batchv1.CronJob](), ""
	for i, token := range tokens {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		at := "/" + strings.Join(tokens[:i], "/")
		switch t.Kind() {
		case reflect.Struct:
			next, owner, ok := fieldNamed(t, token)
			if !ok {
				return fmt.Errorf("a CronJob has no field %s in %s; correct the pointer", quote(token), at)
			}
			t, key = next, owner+"."+token
		case reflect.Map:
			t = t.Elem()
		case reflect.Slice:
			if err := member(key, t, token); err != nil {
				return fmt.Errorf("in %s %w", at, err)
			}
			t = t.Elem()
		default:
			return fmt.Errorf("%s is one value and has nothing in it; end the pointer there", at)
		}
	}
	return nil
}

// fieldNamed is the type of a field by its name in JSON, and the type that has
// it.
func fieldNamed(t reflect.Type, name string) (reflect.Type, string, bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		has, inline := jsonName(f)
		if inline {
			if found, owner, ok := fieldNamed(f.Type, name); ok {
				return found, owner, true
			}
			continue
		}
		if has == name {
			return f.Type, typeName(t), true
		}
	}
	return nil, "", false
}

// member says whether a token can name a member of a list.
func member(key string, list reflect.Type, token string) error {
	_, notIndex := strconv.ParseUint(token, 10, 31)
	by, hasKey := keyed[key]
	if list == reflect.TypeFor[[]corev1.EnvVar]() {
		by, hasKey = []string{"name"}, true
	}
	switch {
	case hasKey && len(by) > 1 && !strings.Contains(token, "/"), hasKey && notIndex == nil:
		return fmt.Errorf("%s is no key: the members are told apart by %s, since an index names another one as soon as one is added before it; name the member by that, with ~1 for a slash", quote(token), strings.Join(by, "/"))
	case hasKey:
		return nil
	case slices.Contains(sets, key):
		return fmt.Errorf("%s names one member of a set; name the set", quote(token))
	case notIndex != nil:
		return fmt.Errorf("%s is no index; the list has an order, and its members are counted from 0", quote(token))
	}
	return nil
}
