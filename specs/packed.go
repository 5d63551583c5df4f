package specs

import (
	"encoding/binary"
	"slices"
)

// Packed is a Value in one string: what an object keeps of its body, since a
// tree of values takes several times as much memory and most are never looked
// into but for their hash. Equal values, with equal marks of Keyed and Secret,
// are equal strings. The empty Packed is Absent.
//
// Each node is its tag (the Kind, and Keyed and Secret as bits), its key with
// the length in front or, as a further bit says, its place among commonKeys, and
// what it holds: a text with the length in front, or its members and the tag of an
// end. Lengths are as encoding/binary's Uvarint.
// The form is for this program's memory alone and is never written out.
type Packed string

const (
	packedKind   = 0x0f
	packedKeyed  = 0x10
	packedSecret = 0x20
	packedCommon = 0x40
	packedEnd    = 0xff
)

// Pack puts a value in one string.
func Pack(v Value) Packed {
	if v.Kind == Absent {
		return ""
	}
	p := Packer{make([]byte, 0, roomOf("", v))}
	p.Add("", v)
	return p.Packed()
}

// roomOf is at least how many bytes a value takes: most take few.
func roomOf(key string, v Value) int {
	n := 2 + 2*binary.MaxVarintLen32 + len(key) + len(v.Text)
	for i := range v.Members {
		n += roomOf(v.Members[i].Key, v.Members[i].Value)
	}
	return n
}

// Value is what was packed. Its texts are parts of the string.
func (p Packed) Value() Value {
	if p == "" {
		return Value{}
	}
	_, v := (&unpacker{p: p}).node()
	return v
}

// Get is the member of a Map under a key, Absent if there is none.
func (p Packed) Get(key string) Value { return p.At(key).Value() }

// At is what stands under keys, each in the Map under the one before; the empty
// Packed if there is none. It is a part of the string, with its own key in front,
// so that it is not to be compared with another.
func (p Packed) At(keys ...string) Packed {
	for _, key := range keys {
		p = p.member(key)
	}
	return p
}

// member is At of one key. It looks no further than where that would stand.
func (p Packed) member(key string) Packed {
	if !p.is(Map) {
		return ""
	}
	u := unpacker{p: p}
	for u.head(); !u.ended(); {
		begin := u.at
		tag, k := u.head()
		order := compareKeys(k, key)
		if order > 0 {
			return ""
		}
		if u.skip(tag); order == 0 {
			return p[begin:u.at]
		}
	}
	return ""
}

// Members hands on those of a List or Map in their order, each as At gives it.
func (p Packed) Members(do func(key string, member Packed) bool) {
	if !p.is(List) && !p.is(Map) {
		return
	}
	u := unpacker{p: p}
	for u.head(); !u.ended(); {
		begin := u.at
		tag, key := u.head()
		u.skip(tag)
		if !do(key, p[begin:u.at]) {
			return
		}
	}
}

func (p Packed) is(kind Kind) bool { return p != "" && Kind(p[0]&packedKind) == kind }

// Empty says that the value is Absent, or a List or Map without members.
func (p Packed) Empty() bool {
	if !p.is(List) && !p.is(Map) {
		return p == ""
	}
	u := unpacker{p: p}
	u.head()
	return u.ended()
}

// Any says that some node, from the root on and in its order, is as asked: by how
// deep it lies, its key, its kind and, of what is neither a List nor a Map, its
// text.
func (p Packed) Any(is func(depth int, key string, kind Kind, text string) bool) bool {
	depth := 0
	for u := (unpacker{p: p}); u.at < len(p); {
		if u.ended() {
			depth--
			continue
		}
		tag, key := u.head()
		kind, text, at := Kind(tag&packedKind), "", depth
		if kind == List || kind == Map {
			depth++
		} else {
			text = u.text()
		}
		if is(at, key, kind, text) {
			return true
		}
	}
	return false
}

// Sealed says that some text is one of which only the seal is known.
func (p Packed) Sealed() bool {
	return p.Any(func(_ int, _ string, kind Kind, _ string) bool { return kind == Sealed })
}

// Packer packs a value piece by piece, where there is no need of a tree. Members
// of a Map have to be added by the order of their keys, and none twice.
type Packer struct{ b []byte }

// NewPacker writes behind what is in b, whose room it uses.
func NewPacker(b []byte) *Packer { return &Packer{b} }

// Add adds a value under a key, which is empty for the value as a whole and for
// the members of a List.
func (p *Packer) Add(key string, v Value) {
	if v.Kind != List && v.Kind != Map {
		p.Leaf(key, v.Kind, v.Secret, v.Text)
		return
	}
	p.Open(key, v.Kind, v.Keyed)
	for i := range v.Members {
		p.Add(v.Members[i].Key, v.Members[i].Value)
	}
	p.Close()
}

// Leaf adds what is neither a List nor a Map. Text is as in Value.
func (p *Packer) Leaf(key string, kind Kind, secret bool, text string) {
	p.head(leafTag(kind, secret), key)
	p.b = appendSized(p.b, text)
}

// Text is Leaf of a Text of which key and text are bytes and no strings.
func (p *Packer) Text(key, text []byte, secret bool) {
	p.b = appendSized(appendHead(p.b, leafTag(Text, secret), key), text)
}

// Raw adds members as a Packer wrote them.
func (p *Packer) Raw(members string) { p.b = append(p.b, members...) }

// Open begins a List or a Map, and Close ends it.
func (p *Packer) Open(key string, kind Kind, keyed bool) {
	tag := byte(kind)
	if keyed {
		tag |= packedKeyed
	}
	p.head(tag, key)
}

// Close ends what was opened last.
func (p *Packer) Close() { p.b = append(p.b, packedEnd) }

func (p *Packer) head(tag byte, key string) { p.b = appendHead(p.b, tag, key) }

func appendHead[T string | []byte](b []byte, tag byte, key T) []byte {
	if place, common := commonPlaces()[string(key)]; common {
		return append(b, tag|packedCommon, place)
	}
	return appendSized(append(b, tag), key)
}

func appendSized[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func leafTag(kind Kind, secret bool) byte {
	if secret {
		return byte(kind) | packedSecret
	}
	return byte(kind)
}

// Bytes are what was written, valid until more is written.
func (p *Packer) Bytes() []byte { return p.b }

// Packed is all that was written, in a string of its own.
func (p *Packer) Packed() Packed { return Packed(p.b) }

// unpacker walks what a Packer wrote.
type unpacker struct {
	p  Packed
	at int
}

func (u *unpacker) text() string {
	n := int(u.p[u.at])
	u.at++
	if n >= 0x80 {
		n &= 0x7f
		for shift := 7; ; shift += 7 {
			c := u.p[u.at]
			u.at++
			n |= int(c&0x7f) << shift
			if c < 0x80 {
				break
			}
		}
	}
	u.at += n
	return string(u.p[u.at-n : u.at])
}

func (u *unpacker) head() (tag byte, key string) {
	tag = u.p[u.at]
	u.at++
	if tag&packedCommon != 0 {
		u.at++
		return tag, commonKeys[u.p[u.at-1]]
	}
	return tag, u.text()
}

// ended says that no member follows, and steps behind the end.
func (u *unpacker) ended() bool {
	if u.p[u.at] != packedEnd {
		return false
	}
	u.at++
	return true
}

func (u *unpacker) node() (key string, v Value) {
	tag, key := u.head()
	return key, u.content(tag)
}

func (u *unpacker) content(tag byte) Value {
	v := Value{Kind: Kind(tag & packedKind), Keyed: tag&packedKeyed != 0, Secret: tag&packedSecret != 0}
	if v.Kind != List && v.Kind != Map {
		v.Text = u.text()
		return v
	}
	var few [16]Member
	members := few[:0]
	for !u.ended() {
		key, m := u.node()
		members = append(members, Member{key, m})
	}
	v.Members = slices.Clip(append(make([]Member, 0, len(members)), members...))
	return v
}

func (u *unpacker) skip(tag byte) {
	if kind := Kind(tag & packedKind); kind != List && kind != Map {
		u.text()
		return
	}
	for !u.ended() {
		tag, _ := u.head()
		u.skip(tag)
	}
}
