package specs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Canonicalisation names the rules by which a Hash is made. A change of what
// Canonical prints for any Spec is a new name, never a change of this one.
const Canonicalisation = "rc1"

// Hash identifies a Spec: the name of its canonicalisation, a colon and the
// hex SHA-256 of the canonical bytes.
type Hash struct {
	scheme string
	sum    [sha256.Size]byte
}

// ParseHash reads what String prints. A canonicalisation that this program
// does not have is an error, since the sum could only ever differ.
func ParseHash(s string) (Hash, error) {
	scheme, digits, ok := strings.Cut(s, ":")
	if !ok || len(digits) != 2*sha256.Size {
		return Hash{}, fmt.Errorf("hash %q is not %s: and 64 hex digits; print it with: rolecall ledger hash", s, Canonicalisation)
	}
	if scheme != Canonicalisation {
		return Hash{}, fmt.Errorf("hash %q was made by canonicalisation %s and this rolecall has %s; pin it again with: rolecall ledger hash", s, scheme, Canonicalisation)
	}
	h := Hash{scheme: scheme}
	if _, err := hex.Decode(h.sum[:], []byte(digits)); err != nil || strings.ToLower(digits) != digits {
		return Hash{}, fmt.Errorf("hash %q is not %s: and 64 hex digits in lower case; print it with: rolecall ledger hash", s, Canonicalisation)
	}
	return h, nil
}

// String is the hash as it is written in a ledger and in reports; empty for
// the zero Hash.
func (h Hash) String() string {
	if h.IsZero() {
		return ""
	}
	return h.scheme + ":" + hex.EncodeToString(h.sum[:])
}

// Short is the first eight digits of the sum, empty for the zero Hash.
func (h Hash) Short() string {
	if h.IsZero() {
		return ""
	}
	return hex.EncodeToString(h.sum[:4])
}

// IsZero says that there is no hash.
func (h Hash) IsZero() bool { return h.scheme == "" }

// Hash is that of the canonical bytes.
func (s Spec) Hash() Hash {
	if s.saved != nil && !s.saved.IsZero() {
		return *s.saved
	}
	var room [4096]byte // what most specs need, and off the heap
	return Hash{scheme: Canonicalisation, sum: sha256.Sum256(s.appendCanonical(room[:0]))}
}

// Canonical is the spec as JSON by RFC 8785: one byte string for each meaning.
func (s Spec) Canonical() []byte { return s.appendCanonical(make([]byte, 0, 512)) }

func (s Spec) appendCanonical(b []byte) []byte {
	b = append(b, `{"body":`...)
	b = appendPacked(b, s.Body)
	b = append(b, `,"schedule":[`...)
	if len(s.Schedules) == 1 {
		return append(appendString(b, s.Schedules[0].Canonical()), "]}"...)
	}
	for i, c := range s.canonicalSchedules() {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, c)
	}
	return append(b, "]}"...)
}

// appendPacked prints a body, a Map in any case. It goes along the text without
// recursion, by which Go would put the room of every hash on the heap.
func appendPacked(b []byte, p Packed) []byte {
	if p == "" {
		return append(b, "{}"...)
	}
	var few [32]byte
	ends := few[:0] // of what is open
	first := true   // in what is open
	for u := (unpacker{p: p}); u.at < len(p); {
		if u.ended() {
			b, ends, first = append(b, ends[len(ends)-1]), ends[:len(ends)-1], false
			continue
		}
		if !first {
			b = append(b, ',')
		}
		tag, key := u.head()
		if len(ends) > 0 && ends[len(ends)-1] == '}' {
			b = append(appendString(b, key), ':')
		}
		switch kind := Kind(tag & packedKind); kind {
		case List:
			b, ends, first = append(b, '['), append(ends, ']'), true
		case Map:
			b, ends, first = append(b, '{'), append(ends, '}'), true
		default:
			b, first = appendLeaf(b, kind, u.text()), false
		}
	}
	return b
}

func appendLeaf(b []byte, kind Kind, text string) []byte {
	switch kind {
	case Bool, Number:
		return append(b, text...)
	case Text:
		return appendString(b, text)
	case Sealed:
		return append(appendString(append(b, `{"sealed":`...), text), '}')
	}
	return append(b, "null"...)
}

const hexDigits = "0123456789abcdef"

// appendString quotes as RFC 8785 (section 3.2.2.2) does. A byte that is no UTF-8 has no form in
// JSON; it is written as \udcXX, an unpaired surrogate that no valid text can
// hold, so that two different byte strings never share a hash.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		if n := plainBytes(s[i:]); n > 0 {
			b = append(b, s[i:i+n]...)
			i += n
			continue
		}
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				b = append(b, '\\', c)
			case c == '\b':
				b = append(b, `\b`...)
			case c == '\t':
				b = append(b, `\t`...)
			case c == '\n':
				b = append(b, `\n`...)
			case c == '\f':
				b = append(b, `\f`...)
			case c == '\r':
				b = append(b, `\r`...)
			default:
				b = append(b, `\u00`...)
				b = append(b, hexDigits[c>>4], hexDigits[c&15])
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = append(b, `\udc`...)
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return append(b, '"')
}

// plainBytes is how many bytes in front stand for themselves.
func plainBytes(s string) int {
	i := 0
	for i+8 <= len(s) && plainWord(s[i:i+8]) {
		i += 8
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// plainWord says it of eight bytes at once: of each of them, the top bit is set in
// low if it is below 0x20, and in the other two if it is one of the marks
// (Bit Twiddling Hacks, "determine if a word has a byte less than n"). That of a
// byte above such a one may be set as well.
func plainWord(s string) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	x := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote, escape := x^ones*'"', x^ones*'\\'
	low := (x - ones*0x20) & ^x
	return (x|low|(quote-ones)&^quote|(escape-ones)&^escape)&tops == 0
}

// formatNumber prints as ECMAScript's Number::toString does, which RFC 8785 (section 3.2.2.3) names.
func formatNumber(f float64) string {
	if f == 0 {
		return "0"
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "null"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	sign := exp[:1]
	return mantissa + "e" + sign + strings.TrimLeft(exp[1:], "0")
}

// CanonicalBody is the body alone, as Canonical prints it.
func (s Spec) CanonicalBody() []byte { return appendPacked(nil, s.Body) }
