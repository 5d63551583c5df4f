package strict

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

// form has a field of each type, and is its own member.
type form struct {
	Place
	Text  Text       `strict:"text,required"`
	Word  Text       `strict:"word,short"`
	Empty Text       `strict:"empty,empty"`
	Enum  Text       `strict:"enum,enum=on|off"`
	Texts Texts      `strict:"texts"`
	Words Words      `strict:"words"`
	Int   Int        `strict:"int"`
	Bool  Bool       `strict:"bool"`
	Map   Map[Text]  `strict:"map,empty"`
	Each  Each[form] `strict:"each"`
	List  []form     `strict:"list"`
	Below *form      `strict:"below"`
}

// decoded is all that decoding says.
type decoded struct {
	Out  string
	Errs Errors
}

func decodedBy(data []byte, read func(d *decoder) (node, bool)) decoded {
	var handed strings.Builder
	var out form
	out.Each.Do = func(key Text, v *form) { fmt.Fprintf(&handed, "%v %s\n", key, shown(v)) }
	d := decoder{file: "f", infos: map[reflect.Type]*info{}}
	if root, ok := read(&d); ok {
		d.value(root, reflect.ValueOf(&out).Elem(), &field{})
	}
	return decoded{handed.String() + shown(&out), d.errs}
}

func shown(f *form) string {
	c := *f
	c.Each.Do = nil
	below := ""
	if c.Below != nil {
		below, c.Below = shown(c.Below), nil
	}
	for i := range c.List {
		below += shown(&c.List[i])
	}
	c.List = nil
	return fmt.Sprintf("%+v %s", c, below)
}

// twins holds the two readers to the same answer, and says whether there are two.
func twins(t *testing.T, data []byte) bool {
	t.Helper()
	if _, ok := plain.Read(string(data), nil); !ok {
		return false
	}
	fast := decodedBy(data, func(d *decoder) (node, bool) { return d.parse(data) })
	slow := decodedBy(data, func(d *decoder) (node, bool) {
		whole := d.whole(data)
		return node{whole: whole}, whole != nil && d.bounded(whole)
	})
	if !reflect.DeepEqual(fast, slow) {
		t.Fatalf("%q\nfast %+v\nslow %+v", data, fast, slow)
	}
	return true
}

var twinLines = []string{
	"text: a", "text:", "text: ~", "text: ''", "text: [a]", "text: 1.10", "texts: a", "texts: [a, b, a]", "texts: []", "texts: [~, {}]", "words: a b", "words: ['', '']", "words: []", "word: x",
	"int: 7", "int: 07", "int: a", "int: 0x1", "bool: true", "bool: yes", "bool: 'true'", "bool:", "enum: om", "enum: on", "empty: ''", "map: {a: b, a: c}", "map: {~: b, 1: ''}", "map: {'<<': x}", "map: [a]",
	"list: [{text: a}, b, [c]]", "below: {text: a, wrod: b}", "below: word", "nope: 1", "txt: a", "each: {a: {text: b}, 'c d': {txt: e}, f: g}", "each: {~: {}}", "list:\n- text: a\n  list:\n  - word: b", "each:\n  k:\n    text: |\n      a", "'': a", "text: 2026-01-01", "-",
}

func TestTwins(t *testing.T) {
	both := 0
	for _, a := range twinLines {
		for _, b := range twinLines {
			if twins(t, []byte(a+"\n"+b+"\n")) {
				both++
			}
			if !strings.Contains(b, "\n") && twins(t, []byte("each:\n  k:\n    "+b+"\n    below:\n      "+b+"\n"+a+"\n")) {
				both++
			}
		}
	}
	if both < len(twinLines)*len(twinLines) {
		t.Errorf("only %d were plain", both)
	}
	var many strings.Builder // more keys than are looked through one by one
	for i := range 60 {
		fmt.Fprintf(&many, "k%d: v\n", i%50)
	}
	twins(t, []byte(many.String()+"map:\n  "+strings.ReplaceAll(many.String(), "\n", "\n  ")+"\n"))
	if !twins(t, []byte("list:\n"+strings.Repeat("- {x: 1}\n", maxErrors))) {
		t.Error("a list of more errors than are kept is not plain")
	}
}

func FuzzTwins(f *testing.F) {
	for _, l := range twinLines {
		f.Add([]byte(l + "\n"))
	}
	files, _ := filepath.Glob("../../testdata/ledger/*/*.yaml")
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { twins(t, data) })
}
