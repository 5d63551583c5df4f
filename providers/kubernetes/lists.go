package kubernetes

import (
	"reflect"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/specs"
)

// listValue is a list as Kubernetes takes it: by the keys of its members, as a
// set, or in order.
func listValue(key string, v reflect.Value) specs.Value {
	items := make([]specs.Value, v.Len())
	for i := range items {
		items[i] = valueOf(key, v.Index(i))
	}
	if slices.Contains(sets, key) {
		return setValue(items)
	}
	if by, ok := keyed[key]; ok {
		return keyedValue(key, by, items)
	}
	return specs.NewList(items...)
}

func setValue(items []specs.Value) specs.Value {
	slices.SortFunc(items, func(a, b specs.Value) int { return strings.Compare(a.Text, b.Text) })
	return specs.NewList(slices.CompactFunc(items, func(a, b specs.Value) bool { return a.Text == b.Text && a.Kind == b.Kind })...)
}

// keyedValue is a Map of the members by their keys. Where a key is missing or
// stands twice, which the server refuses in most lists, nothing may collapse:
// then it is the list as it stands.
func keyedValue(key string, by []string, items []specs.Value) specs.Value {
	members := make([]specs.Member, len(items))
	seen := make(map[string]bool, len(items))
	for i, it := range items {
		k, ok := keyOf(elementType(key), by, it)
		if !ok || seen[k] {
			return specs.NewList(items...)
		}
		seen[k] = true
		members[i].Key = k
	}
	for i, it := range items {
		members[i].Value = without(it, by)
	}
	switch key {
	case "PodSpec.initContainers":
		afterPrevious(members)
	case "PodSpec.containers":
		afterHooks(members)
	}
	return specs.NewKeyed(members...)
}

// keyOf joins the texts of a member's key fields by a slash: 8080/TCP.
func keyOf(owner string, by []string, item specs.Value) (string, bool) {
	var few [2]string
	parts := few[:0]
	for i, name := range by {
		v := item.Get(name)
		if v.Kind == specs.Absent {
			v = defaults[owner+"."+name]
		}
		if v.Text == "" || i > 0 && strings.Contains(v.Text, "/") {
			return "", false
		}
		parts = append(parts, v.Text)
	}
	return strings.Join(parts, "/"), true
}

// elementType is the type of a keyed list's members, where the key has a
// default.
func elementType(key string) string {
	if key == "Container.ports" {
		return "ContainerPort"
	}
	return ""
}

// without is a Map, of which nothing else has the members, less some of them.
func without(v specs.Value, names []string) specs.Value {
	v.Members = slices.DeleteFunc(v.Members, func(m specs.Member) bool { return slices.Contains(names, m.Key) })
	return v
}

// afterPrevious keeps the order of containers that run one after another: each
// names the one before it.
func afterPrevious(members []specs.Member) {
	for i := len(members) - 1; i > 0; i-- {
		members[i].Value = with(members[i].Value, "after", specs.NewText(members[i-1].Key))
	}
}

// afterHooks keeps the order of containers where it has an effect: the kubelet
// starts them in order and waits for each one's postStart hook.
func afterHooks(members []specs.Member) {
	var hooks []specs.Value
	for i, m := range members {
		hook := m.Value.Get("lifecycle").Get("postStart").Kind == specs.Map
		if len(hooks) > 0 {
			members[i].Value = with(m.Value, "after", specs.NewList(hooks...))
		}
		if hook {
			hooks = append(slices.Clip(hooks), specs.NewText(m.Key))
		}
	}
}

func with(v specs.Value, key string, value specs.Value) specs.Value {
	return specs.NewMap(append(slices.Clip(v.Members), specs.Member{Key: key, Value: value})...)
}
