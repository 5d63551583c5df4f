package kubernetes

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rolecall-dev/rolecall/specs"
)

// structValue is a Map of the fields of an API type that say something: that
// are set, and to something else than the default. Every field that the type
// has is looked at, so a field that a later API adds counts as soon as the type
// has it.
func structValue(v reflect.Value) specs.Value {
	return specs.NewMap(fieldsOf(v, nil)...)
}

func fieldsOf(v reflect.Value, out []specs.Member) []specs.Member {
	t := v.Type()
	owner := typeName(t)
	for i := range t.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		name, inline := jsonName(t.Field(i))
		if inline {
			out = fieldsOf(f, out)
			continue
		}
		key := owner + "." + name
		if value := fieldValue(key, f); !isDefault(key, value) {
			out = append(out, specs.Member{Key: name, Value: value})
		}
	}
	return out
}

// typeName is the name by which the tables know a type.
func typeName(t reflect.Type) string {
	if t == reflect.TypeFor[corev1.EphemeralContainerCommon]() {
		return "Container"
	}
	return t.Name()
}

func jsonName(f reflect.StructField) (name string, inline bool) {
	name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return f.Name, f.Anonymous || strings.Contains(rest, "inline")
	}
	return name, false
}

// fieldValue is the value of a field that is not zero. A pointer to nothing but
// zeros says something (emptyDir: {}, ttlSecondsAfterFinished: 0); an empty
// struct, list or map does not.
func fieldValue(key string, f reflect.Value) specs.Value {
	if slices.Contains(ignored, key) {
		return specs.Value{}
	}
	value := valueOf(key, f)
	if f.Kind() != reflect.Pointer && value.Empty() {
		return specs.Value{}
	}
	if slices.Contains(secret, key) {
		return sealed(value)
	}
	return value
}

func valueOf(key string, v reflect.Value) specs.Value {
	switch x := v.Interface().(type) {
	case resource.Quantity:
		return quantityValue(x)
	case corev1.ResourceList:
		return resourcesValue(x)
	case intstr.IntOrString:
		if x.Type == intstr.Int {
			return specs.NewInt(int64(x.IntVal))
		}
		return specs.NewText(x.StrVal)
	case metav1.Time:
		return specs.NewText(x.UTC().Format("2006-01-02T15:04:05Z"))
	case []corev1.EnvVar:
		return envValue(x)
	}
	switch v.Kind() {
	case reflect.Pointer:
		return valueOf(key, v.Elem())
	case reflect.Struct:
		return structValue(v)
	case reflect.Slice:
		return listValue(key, v)
	case reflect.Map:
		return mapValue(key, v)
	case reflect.String:
		return specs.NewText(v.String())
	case reflect.Bool:
		return specs.NewBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return specs.NewInt(v.Int())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return specs.NewInt(int64(v.Uint()))
	case reflect.Float32, reflect.Float64:
		return specs.NewNumber(v.Float())
	}
	return specs.NewText(fmt.Sprint(v.Interface()))
}

func mapValue(key string, v reflect.Value) specs.Value {
	members := make([]specs.Member, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		members = append(members, specs.Member{Key: it.Key().String(), Value: valueOf(key, it.Value())})
	}
	return specs.NewMap(members...)
}

func resourcesValue(list corev1.ResourceList) specs.Value {
	members := make([]specs.Member, 0, len(list))
	for name, q := range list {
		q.RoundUp(resource.Milli) // as SetDefaults_ResourceList does
		members = append(members, specs.Member{Key: string(name), Value: quantityValue(q)})
	}
	return specs.NewMap(members...)
}

// mostScale is the exponent of ten from which on a quantity, which no server has
// any use for, is not multiplied out.
const mostScale = 1000

// quantityValue writes a quantity so that equal values are equal texts: 1024Mi
// and 1073741824 are 1Gi, 0.5 is 500m.
func quantityValue(q resource.Quantity) specs.Value {
	q = q.DeepCopy()
	if d := q.AsDec(); max(d.Scale(), -d.Scale()) > mostScale {
		return specs.NewText(fmt.Sprintf("%se%d", d.UnscaledBig(), -d.Scale()))
	}
	n, whole := wholeNumber(&q)
	switch {
	case whole && !n.IsInt64(): // beyond the largest suffix
		return specs.NewText(n.String())
	case whole && n.Int64()%1024 == 0:
		return specs.NewText(resource.NewQuantity(n.Int64(), resource.BinarySI).String())
	}
	return specs.NewText(resource.NewDecimalQuantity(*q.AsDec(), resource.DecimalSI).String())
}

// wholeNumber is AsInt64, also for a quantity that was written with a fraction
// or is larger.
func wholeNumber(q *resource.Quantity) (*big.Int, bool) {
	if n, ok := q.AsInt64(); ok {
		return big.NewInt(n), true
	}
	d := q.AsDec()
	n, rest := new(big.Int).Set(d.UnscaledBig()), new(big.Int)
	scale := int64(d.Scale())
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(scale, -scale)), nil)
	if scale > 0 {
		n.QuoRem(n, power, rest)
	} else {
		n.Mul(n, power)
	}
	return n, rest.Sign() == 0
}

// sealed marks all texts below a value as possible secrets.
func sealed(v specs.Value) specs.Value {
	if v.Kind == specs.Text {
		v.Secret = true
	}
	for i := range v.Members {
		v.Members[i].Value = sealed(v.Members[i].Value)
	}
	return v
}
