package specs

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Kind tells what a Value is.
type Kind uint8

// The kinds of Value. The zero Value is Absent: the scheduler's default.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	Text
	List
	Map
	// Sealed stands for a text that may be a secret and was read back from a
	// saved listing, which keeps only its digest.
	Sealed
)

// Value is one node of the part of a spec that is not its schedule: what is
// executed, and how. Members of a Map are sorted by key, so equal meaning has
// one representation.
type Value struct {
	Kind Kind
	// Keyed marks a Map that is a list in the native object, whose members are
	// told apart by a key of their own (containers by name). It only shapes how
	// a path is written: containers[main] and not containers.main.
	Keyed bool
	// Secret marks a text at a position where secrets are known to stand: a
	// pod's env value, an environment line. It is no part of the meaning; it is
	// masked wherever it would be shown.
	Secret bool
	// Text is the value of Bool ("true" or "false"), Number (as RFC 8785 prints
	// it), Text (any string) and Sealed (the digest).
	Text string
	// Members are those of a List, in order and without keys, or of a Map.
	Members []Member
}

// Member is one entry of a Map, or of a List, where Key is empty.
type Member struct {
	Key   string
	Value Value
}

// NewText is a string value.
func NewText(s string) Value { return Value{Kind: Text, Text: s} }

// NewSecret is a string value from a position where secrets stand.
func NewSecret(s string) Value { return Value{Kind: Text, Text: s, Secret: true} }

// NewBool is a truth value.
func NewBool(b bool) Value { return Value{Kind: Bool, Text: strconv.FormatBool(b)} }

// NewInt is a whole number.
func NewInt(i int64) Value { return Value{Kind: Number, Text: strconv.FormatInt(i, 10)} }

// NewNumber is a number printed as RFC 8785 (section 3.2.2.3) wants it, so that 1.50 and
// 1.5 are one value.
func NewNumber(f float64) Value { return Value{Kind: Number, Text: formatNumber(f)} }

// NewList is an ordered list.
func NewList(items ...Value) Value {
	v := Value{Kind: List, Members: make([]Member, len(items))}
	for i, it := range items {
		v.Members[i].Value = it
	}
	return v
}

// NewMap is a map of the members that are not Absent, sorted by key. Of two
// members with one key the later holds.
func NewMap(members ...Member) Value {
	return MapOf(append(make([]Member, 0, len(members)), members...))
}

// MapOf is NewMap of members that the caller gives away: they are put in order
// where they stand.
func MapOf(members []Member) Value {
	kept := members[:0]
	sorted := true
	for _, m := range members {
		if m.Value.Kind == Absent {
			continue
		}
		if n := len(kept); n > 0 && sorted {
			sorted = compareKeys(kept[n-1].Key, m.Key) < 0
		}
		kept = append(kept, m)
	}
	if sorted {
		return Value{Kind: Map, Members: kept}
	}
	slices.SortStableFunc(kept, func(a, b Member) int { return compareKeys(a.Key, b.Key) })
	out := kept[:0]
	for i, m := range kept {
		if i+1 < len(kept) && kept[i+1].Key == m.Key {
			continue
		}
		out = append(out, m)
	}
	return Value{Kind: Map, Members: out}
}

// NewKeyed is NewMap for a native list whose members have a key of their own.
func NewKeyed(members ...Member) Value {
	v := NewMap(members...)
	v.Keyed = true
	return v
}

// Get is the member of a Map under a key, Absent if there is none.
func (v Value) Get(key string) Value {
	if v.Kind != Map {
		return Value{}
	}
	i, ok := slices.BinarySearchFunc(v.Members, key, func(m Member, k string) int { return compareKeys(m.Key, k) })
	if !ok {
		return Value{}
	}
	return v.Members[i].Value
}

// Empty says that a value is Absent, or a List or Map without members.
func (v Value) Empty() bool {
	return v.Kind == Absent || (v.Kind == List || v.Kind == Map) && len(v.Members) == 0
}

// orMap is the value, a Map without members in place of Absent.
func (v Value) orMap() Value {
	if v.Kind == Absent {
		return NewMap()
	}
	return v
}

// compareKeys orders as RFC 8785 (section 3.2.3) does, by UTF-16 code units, which differs
// from byte order only above U+D7FF.
func compareKeys(a, b string) int {
	for i := 0; i < len(a) && i < len(b); i++ {
		if a[i] != b[i] {
			if a[i] < 0x80 || b[i] < 0x80 {
				return int(a[i]) - int(b[i])
			}
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		}
	}
	return len(a) - len(b)
}

// step writes one step of a field's path below a value.
func (v Value) step(path, key string) string {
	return Step(path, key, v.Keyed || v.Kind == List)
}

// Step writes one step below a path: in brackets that of a list's member, after
// a dot any other. A key that would not be read again as one step is quoted.
func Step(path, key string, member bool) string {
	switch {
	case key == "" || strings.ContainsAny(key, "[]") || member && strings.HasPrefix(key, `"`) || !member && strings.Contains(key, "."):
		return path + "[" + strconv.Quote(key) + "]"
	case member:
		return path + "[" + key + "]"
	case path == "":
		return key
	}
	return path + "." + key
}
