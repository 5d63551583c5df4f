package kubernetes

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func tolerationFaults(f *finder, t *corev1.Toleration, path *field.Path) {
	if t.Key == "" && t.Operator != corev1.TolerationOpExists {
		f.invalid(path.Child("operator"), t.Operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\"")
	}
	if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
		f.invalid(path.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
	}
	switch t.Operator {
	case corev1.TolerationOpEqual, "":
		if texts := isLabelValue(t.Value); len(texts) > 0 {
			f.invalid(path.Child("operator"), t.Value, strings.Join(texts, ";"))
		}
	case corev1.TolerationOpExists:
		if t.Value != "" {
			f.invalid(path.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'")
		}
	case corev1.TolerationOpLt, corev1.TolerationOpGt: // behind a feature gate
	default:
		f.add(field.NotSupported(path.Child("operator"), t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
	}
}

const (
	valuesNeeded = "must be specified when `operator` is 'In' or 'NotIn'"
	noValues     = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
	noOperator   = "not a valid selector operator"
)

func selectorFaults(f *finder, s *metav1.LabelSelector, path *field.Path) {
	f.labels(s.MatchLabels, f.child(path, "matchLabels"))
	for i, r := range s.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		f.values(string(r.Operator), r.Values, at)
		f.invalid(at.Child("key"), r.Key, isQualified(r.Key)...)
		for j, v := range r.Values {
			f.invalid(at.Child("values").Index(j), v, isLabelValue(v)...)
		}
	}
}

// values: some operators have values, and some have none.
func (f *finder) values(operator string, values []string, path *field.Path) {
	switch operator {
	case "In", "NotIn":
		if len(values) == 0 {
			f.add(field.Required(path.Child("values"), valuesNeeded))
		}
	case "Exists", "DoesNotExist":
		if len(values) > 0 {
			f.add(field.Forbidden(path.Child("values"), noValues))
		}
	default:
		f.invalid(path.Child("operator"), operator, noOperator)
	}
}

func nodeTermFaults(f *finder, t *corev1.NodeSelectorTerm, path *field.Path) {
	for i, r := range t.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		if r.Operator == corev1.NodeSelectorOpGt || r.Operator == corev1.NodeSelectorOpLt {
			if len(r.Values) != 1 {
				f.add(field.Required(at.Child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"))
			}
		} else {
			f.values(string(r.Operator), r.Values, at)
		}
		f.invalid(at.Child("key"), r.Key, isQualified(r.Key)...)
	}
	for i, r := range t.MatchFields {
		at := path.Child("matchFields").Index(i)
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			if len(r.Values) != 1 {
				f.add(field.Required(at.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
			}
		default:
			f.invalid(at.Child("operator"), r.Operator, noOperator)
		}
		if r.Key != metav1.ObjectNameField {
			f.invalid(at.Child("key"), r.Key, "not a valid field selector key")
			continue
		}
		for j, v := range r.Values {
			f.invalid(at.Child("values").Index(j), v, isSubdomain(v)...)
		}
	}
}

// nodeFaults: in what a pod needs of its node each value can be a label's.
func nodeFaults(f *finder, s *corev1.NodeSelector, path *field.Path) {
	for i, t := range s.NodeSelectorTerms {
		for j, r := range t.MatchExpressions {
			at := path.Child("nodeSelectorTerms").Index(i).Child("matchExpressions").Index(j).Child("values")
			for k, v := range r.Values {
				f.invalid(at.Index(k), v, isLabelValue(v)...)
			}
		}
	}
}

func affinityFaults(f *finder, t *corev1.PodAffinityTerm, path *field.Path) {
	for _, name := range t.Namespaces {
		f.invalid(path.Child("namespace"), name, isLabel(name)...)
	}
	f.labelKeys(t.MatchLabelKeys, t.LabelSelector, path.Child("matchLabelKeys"))
	f.labelKeys(t.MismatchLabelKeys, t.LabelSelector, path.Child("mismatchLabelKeys"))
}

// labelKeys narrow a selector, so there is one.
func (f *finder) labelKeys(keys []string, selector *metav1.LabelSelector, path *field.Path) {
	if len(keys) > 0 && selector == nil {
		f.add(field.Forbidden(path, "must not be specified when labelSelector is not set"))
		return
	}
	for i, key := range keys {
		f.invalid(path.Index(i), key, isQualified(key)...)
	}
}

func spreadFaults(f *finder, constraints []corev1.TopologySpreadConstraint, path *field.Path) {
	seen := map[string]int{}
	for i, c := range constraints {
		at, kind := path.Index(i), fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)
		if first, twice := seen[kind]; twice {
			f.add(field.Duplicate(path.Index(first).Child("{topologyKey, whenUnsatisfiable}"), kind))
		}
		seen[kind] = i
		if c.MinDomains != nil && c.WhenUnsatisfiable != corev1.DoNotSchedule {
			f.invalid(at.Child("minDomains"), *c.MinDomains, fmt.Sprintf("can only use minDomains if whenUnsatisfiable=%s, not %s", corev1.DoNotSchedule, c.WhenUnsatisfiable))
		}
		f.labelKeys(c.MatchLabelKeys, c.LabelSelector, at.Child("matchLabelKeys"))
	}
}
