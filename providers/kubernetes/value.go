package kubernetes

import (
	"fmt"
	"math/big"
	"reflect"
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
	var few [16]specs.Member
	members := few[:0]
	fields := shapeOf(v.Type())
	for i := range fields {
		f := &fields[i]
		x, set := f.in(v)
		if !set {
			continue
		}
		if value := f.value(x); !f.isStandard(value) {
			members = append(members, specs.Member{Key: f.name, Value: value})
		}
	}
	return mapOf(members)
}

// mapOf is NewMap for members that are sorted, and of which none is Absent and
// no two have one key.
func mapOf(members []specs.Member) specs.Value {
	return specs.Value{Kind: specs.Map, Members: append(make([]specs.Member, 0, len(members)), members...)}
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

// value is that of the field, which is not zero. A pointer to nothing but zeros
// says something (emptyDir: {}, ttlSecondsAfterFinished: 0); an empty struct,
// list or map does not.
func (f *apiField) value(x reflect.Value) specs.Value {
	value := valueOf(f.key, x)
	if x.Kind() != reflect.Pointer && value.Empty() {
		return specs.Value{}
	}
	if f.secret {
		return sealed(value)
	}
	return value
}

func valueOf(key string, v reflect.Value) specs.Value {
	switch v.Kind() {
	case reflect.Pointer:
		return valueOf(key, v.Elem())
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
	switch v.Type() { // what is more than its parts
	case quantityType:
		return quantityValue(v.Interface().(resource.Quantity))
	case resourcesType:
		return resourcesValue(v.Interface().(corev1.ResourceList))
	case intOrStringType:
		x := v.Interface().(intstr.IntOrString)
		if x.Type == intstr.Int {
			return specs.NewInt(int64(x.IntVal))
		}
		return specs.NewText(x.StrVal)
	case timeType:
		return specs.NewText(v.Interface().(metav1.Time).UTC().Format("2006-01-02T15:04:05Z"))
	case envType:
		return envValue(v.Interface().([]corev1.EnvVar))
	}
	switch v.Kind() {
	case reflect.Struct:
		return structValue(v)
	case reflect.Slice:
		return listValue(key, v)
	case reflect.Map:
		return mapValue(key, v)
	}
	return specs.NewText(fmt.Sprint(v.Interface()))
}

var (
	quantityType    = reflect.TypeFor[resource.Quantity]()
	resourcesType   = reflect.TypeFor[corev1.ResourceList]()
	intOrStringType = reflect.TypeFor[intstr.IntOrString]()
	timeType        = reflect.TypeFor[metav1.Time]()
	envType         = reflect.TypeFor[[]corev1.EnvVar]()
)

// atoms are the structs whose fields are not looked at one by one.
var atoms = []reflect.Type{quantityType, intOrStringType, timeType}

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
	if v, ok := smallQuantity(q); ok {
		return v
	}
	return largeQuantity(q.DeepCopy())
}

// smallQuantity is what largeQuantity would give for whole numbers and
// thousandths of usual size, without arithmetic on big numbers.
func smallQuantity(q resource.Quantity) (specs.Value, bool) {
	if q.CmpInt64(most) >= 0 || q.CmpInt64(-most) <= 0 {
		return specs.Value{}, false
	}
	m := q.MilliValue() // rounded up
	if resource.NewMilliQuantity(m, resource.DecimalSI).Cmp(q) != 0 {
		return specs.Value{}, false
	}
	switch {
	case m%1000 != 0:
		return specs.NewText(resource.NewMilliQuantity(m, resource.DecimalSI).String()), true
	case m/1000%1024 == 0:
		return specs.NewText(resource.NewQuantity(m/1000, resource.BinarySI).String()), true
	}
	return specs.NewText(resource.NewQuantity(m/1000, resource.DecimalSI).String()), true
}

// most is more than any quantity of usual size, and a thousand times it is an
// int64.
const most = 1 << 50

func largeQuantity(q resource.Quantity) specs.Value {
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
