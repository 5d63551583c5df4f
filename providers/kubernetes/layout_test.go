package kubernetes

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/rolecall-dev/rolecall/specs"
)

// layout writes a CronJob in one of the many ways in which people and tools
// write the same one: in YAML or JSON, keys in any order, defaults, zeros, nulls
// and empty lists stated or not, quantities and numbers in other spellings.
type layout struct {
	rnd *rand.Rand
	// plain writes nothing that is left out.
	plain bool
}

// entries is a mapping in the order in which it is written.
type entries []entry

type entry struct {
	key   string
	value any
}

// number is written as it stands, plain or, in JSON, as a number.
type number string

// write gives the text, and the type under which a server takes it.
func (l *layout) write(cj *batchv1.CronJob) (text []byte, contentType string) {
	meta := entries{{"name", cj.Name}}
	if cj.Namespace != "" {
		meta = append(meta, entry{"namespace", cj.Namespace})
	}
	for key, texts := range map[string]map[string]string{"labels": cj.Labels, "annotations": cj.Annotations} {
		if len(texts) > 0 {
			meta = append(meta, entry{key, l.value("", reflect.ValueOf(texts))})
		}
	}
	doc := entries{{"apiVersion", "batch/v1"}, {"kind", "CronJob"}, {"spec", l.value("", reflect.ValueOf(cj.Spec))}}
	if l.one(3) {
		meta = append(meta, entry{"creationTimestamp", nil})
		doc = append(doc, entry{"status", entries{}})
	}
	doc = append(doc, entry{"metadata", l.mixed(meta)})
	if l.one(3) {
		return l.json(l.mixed(doc)), "application/json"
	}
	return l.yaml(l.mixed(doc)), "application/yaml"
}

// one is true once in n.
func (l *layout) one(n int) bool { return l.rnd.IntN(n) == 0 }

func (l *layout) mixed(m entries) entries {
	l.rnd.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
	return m
}

// value is a Go value as it is to be written. key is the field that it is of.
func (l *layout) value(key string, v reflect.Value) any {
	switch x := v.Interface().(type) {
	case resource.Quantity:
		if key == "ResourceFieldSelector.divisor" { // judged by its text
			return x.String()
		}
		return l.quantity(x)
	case intstr.IntOrString:
		if x.Type == intstr.Int {
			return number(fmt.Sprint(x.IntVal))
		}
		return x.StrVal
	case metav1.Time:
		return x.UTC().Format("2006-01-02T15:04:05Z")
	case metav1.FieldsV1:
		return json.RawMessage(x.GetRawString())
	}
	switch v.Kind() {
	case reflect.Pointer:
		return l.value(key, v.Elem())
	case reflect.Struct:
		return l.mixed(l.fields(v, nil))
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = l.value("", v.Index(i))
		}
		return out
	case reflect.Map:
		var out entries
		for _, k := range v.MapKeys() {
			out = append(out, entry{k.String(), l.value("", v.MapIndex(k))})
		}
		slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.key, b.key) })
		return l.mixed(out)
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	}
	return number(fmt.Sprint(v.Int()))
}

func (l *layout) fields(v reflect.Value, out entries) entries {
	t := v.Type()
	for i := range t.NumField() {
		f := v.Field(i)
		name, inline := jsonName(t.Field(i))
		switch {
		case inline:
			out = l.fields(f, out)
		case !f.IsZero():
			out = append(out, entry{name, l.value(typeName(t)+"."+name, f)})
		case !l.plain && l.one(8):
			if value, ok := l.nothing(typeName(t)+"."+name, f); ok {
				out = append(out, entry{name, value})
			}
		}
	}
	return out
}

// tells are the fields of which the server refuses even an empty one where they
// do not belong.
var tells = []string{
	"PodSpec.restartPolicy", "PodSpec.serviceAccountName", "Container.lifecycle", "SecurityContext.windowsOptions", "PodSecurityContext.windowsOptions", "ResourceRequirements.claims",
	"ObjectMeta.finalizers", "ObjectMeta.ownerReferences", "ObjectMeta.managedFields", "SecurityContext.seLinuxOptions", "PodSecurityContext.seLinuxOptions",
	"SecurityContext.capabilities", "PodSecurityContext.supplementalGroups", "PodSpec.resources", "SecurityContext.procMount",
}

// nothing is a way to write a field that is left out.
func (l *layout) nothing(key string, f reflect.Value) (any, bool) {
	if slices.Contains(tells, key) {
		return nil, l.one(2)
	}
	if d, ok := defaults[key]; ok && l.one(2) {
		switch d.Kind {
		case specs.Text:
			return d.Text, true
		case specs.Map:
			return entries{}, true
		case specs.Bool:
			return d.Text == "true", true
		}
		return number(d.Text), true
	}
	if l.one(2) {
		return nil, true
	}
	switch f.Kind() {
	case reflect.Slice:
		return []any{}, true
	case reflect.Map:
		return entries{}, true
	case reflect.Struct:
		if f.Type() == reflect.TypeFor[resource.Quantity]() || f.Type() == reflect.TypeFor[intstr.IntOrString]() || f.Type() == reflect.TypeFor[metav1.Time]() {
			return nil, false
		}
		return entries{}, true
	case reflect.String:
		return "", true
	case reflect.Bool:
		return false, true
	case reflect.Int32, reflect.Int64:
		return number("0"), true
	}
	return nil, false
}

// quantity is another text of the same value.
func (l *layout) quantity(q resource.Quantity) any {
	exact := q.AsDec().String()
	ways := []string{q.String(), exact, "+" + exact, "0" + exact, exact + "e0", exact + "E+00"}
	if strings.Contains(exact, ".") {
		ways = append(ways, exact+"0", exact+"00")
	} else {
		ways = append(ways, exact+".0", exact+".")
	}
	for suffix, factor := range map[string]int64{"m": -1000, "k": 1000, "M": 1e6, "G": 1e9, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "e3": 1000, "e-3": -1000, "E6": 1e6} {
		n := q.Value()
		switch {
		case factor < 0:
			ways = append(ways, fmt.Sprintf("%d%s", q.MilliValue(), suffix))
		case n%factor == 0:
			ways = append(ways, fmt.Sprintf("%d%s", n/factor, suffix))
		default:
			ways = append(ways, fmt.Sprintf("%.3f%s", float64(n)/float64(factor), suffix))
		}
	}
	slices.Sort(ways)
	way := ways[l.rnd.IntN(len(ways))]
	if got, err := resource.ParseQuantity(way); err != nil || got.Cmp(q) != 0 {
		way = q.String()
	}
	if plainNumber.MatchString(way) && l.one(2) {
		return number(way)
	}
	return way
}

// plainNumber is what JSON and YAML read as the same number.
var plainNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,14})(\.[0-9]{1,3})?$`)

func (l *layout) json(v any) []byte {
	var b strings.Builder
	l.jsonValue(&b, v)
	return []byte(b.String())
}

func (l *layout) jsonValue(b *strings.Builder, v any) {
	switch v := v.(type) {
	case entries:
		b.WriteString("{")
		for i, m := range v {
			b.WriteString([]string{"", ", "}[min(i, 1)] + l.space())
			b.WriteString(l.jsonText(m.key) + ":" + l.space())
			l.jsonValue(b, m.value)
		}
		b.WriteString(l.space() + "}")
	case []any:
		b.WriteString("[")
		for i, x := range v {
			b.WriteString([]string{"", ","}[min(i, 1)] + l.space())
			l.jsonValue(b, x)
		}
		b.WriteString("]")
	case json.RawMessage:
		b.Write(v)
	case number:
		b.WriteString(string(v))
	case string:
		b.WriteString(l.jsonText(v))
	default:
		text, _ := json.Marshal(v)
		b.Write(text)
	}
}

func (l *layout) space() string { return []string{"", " ", "\n  "}[l.rnd.IntN(3)] }

// jsonText is a string, now and then with its first letter escaped.
func (l *layout) jsonText(s string) string {
	text, _ := json.Marshal(s)
	if s != "" && s[0] >= 'A' && s[0] <= 'z' && s[0] != '\\' && l.one(9) {
		return fmt.Sprintf(`"\u%04x%s`, s[0], text[2:])
	}
	return string(text)
}

func (l *layout) yaml(doc entries) []byte {
	var b strings.Builder
	if l.one(3) {
		b.WriteString("# written by hand\n---\n")
	}
	l.block(&b, doc, 0)
	if l.one(5) {
		b.WriteString("...\n")
	}
	return []byte(b.String())
}

// block writes a mapping or list in lines of their own.
func (l *layout) block(b *strings.Builder, v any, indent int) {
	pad := strings.Repeat(" ", indent)
	switch v := v.(type) {
	case entries:
		for _, m := range v {
			if l.one(20) {
				b.WriteString(pad + "# about " + strings.ToValidUTF8(plainOr(m.key, "it"), "") + "\n")
			}
			b.WriteString(pad + l.yamlText(m.key, true) + ":")
			l.below(b, m.value, indent)
		}
	case []any:
		for _, x := range v {
			b.WriteString(pad + "-")
			if inner, ok := x.(entries); ok && len(inner) > 0 && l.one(2) {
				var own strings.Builder
				l.block(&own, inner, indent+2)
				if text := own.String(); !strings.HasPrefix(text[indent:], "  #") {
					b.WriteString(" " + text[indent+2:])
					continue
				}
			}
			l.below(b, x, indent)
		}
	}
}

// below writes a value behind its key or dash.
func (l *layout) below(b *strings.Builder, v any, indent int) {
	empty := true
	switch v := v.(type) {
	case entries:
		empty = len(v) == 0
	case []any:
		empty = len(v) == 0
	}
	if !empty && !l.one(6) {
		b.WriteString("\n")
		l.block(b, v, indent+2+2*l.rnd.IntN(2))
		return
	}
	if s, ok := v.(string); ok && l.one(2) {
		if text, ok := literal(s, indent+2); ok {
			b.WriteString(" " + text)
			return
		}
	}
	b.WriteString(" ")
	l.flow(b, v)
	b.WriteString([]string{"\n", "\n", "\n", "  # so it is\n"}[l.rnd.IntN(4)])
}

// literal is a text of several lines as a block scalar.
func literal(s string, indent int) (string, bool) {
	body := strings.TrimRight(s, "\n")
	ends := len(s) - len(body)
	if !strings.Contains(s, "\n") || body == "" || strings.TrimLeft(body, " \t") != body || strings.ContainsAny(s, "\t\r\u0085\u2028\ufeff") || ends > 1 {
		return "", false
	}
	pad := strings.Repeat(" ", indent)
	return "|" + []string{"-", ""}[ends] + "\n" + pad + strings.ReplaceAll(body, "\n", "\n"+pad) + "\n", true
}

func (l *layout) flow(b *strings.Builder, v any) {
	switch v := v.(type) {
	case entries:
		b.WriteString("{")
		for i, m := range v {
			b.WriteString([]string{"", ", "}[min(i, 1)] + l.yamlText(m.key, true) + ": ")
			l.flow(b, m.value)
		}
		b.WriteString("}")
	case []any:
		b.WriteString("[")
		for i, x := range v {
			b.WriteString([]string{"", ", "}[min(i, 1)])
			l.flow(b, x)
		}
		b.WriteString("]")
	case json.RawMessage:
		b.Write(v)
	case nil:
		b.WriteString([]string{"null", "~", "Null", "NULL"}[l.rnd.IntN(4)])
	case bool:
		b.WriteString(map[bool][]string{true: {"true", "True", "TRUE", "yes", "on", "Yes", "ON"}, false: {"false", "False", "FALSE", "no", "off", "No", "OFF"}}[v][l.rnd.IntN(7)])
	case number:
		b.WriteString(l.yamlNumber(string(v)))
	case string:
		b.WriteString(l.yamlText(v, false))
	}
}

// yamlNumber is a whole number as YAML 1.1 also reads it.
func (l *layout) yamlNumber(s string) string {
	var n int64
	if _, err := fmt.Sscanf(s, "%d", &n); err != nil || fmt.Sprint(n) != s || n <= 0 {
		return s
	}
	return []string{s, s, "+" + s, fmt.Sprintf("0%o", n), fmt.Sprintf("0x%X", n), fmt.Sprintf("0b%b", n), underscored(s)}[l.rnd.IntN(7)]
}

func underscored(s string) string {
	if len(s) < 4 {
		return s
	}
	return s[:len(s)-3] + "_" + s[len(s)-3:]
}

var (
	plainText = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9/_.-]*$`)
	notPlain  = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

func plainOr(s, other string) string {
	if plainText.MatchString(s) {
		return s
	}
	return other
}

func (l *layout) yamlText(s string, key bool) string {
	if plainText.MatchString(s) && !notPlain.MatchString(s) && !l.one(5) {
		return s
	}
	if !strings.ContainsAny(s, "\n\t\r\u0085\u2028\ufeff") && l.one(2) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	text, _ := json.Marshal(s)
	return breaks.Replace(string(text))
}

// breaks are characters that end a line in YAML 1.1 or mark its beginning.
var breaks = strings.NewReplacer("\u0085", `\u0085`, "\ufeff", `\ufeff`)
