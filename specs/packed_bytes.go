package specs

import "encoding/binary"

// Text is Leaf of a Text of which key and text are bytes and no strings.
func (p *Packer) Text(key, text []byte, secret bool) {
	tag := byte(Text)
	if secret {
		tag |= packedSecret
	}
	if place, common := commonPlaces()[string(key)]; common {
		p.b = append(p.b, tag|packedCommon, place)
	} else {
		p.b = append(binary.AppendUvarint(append(p.b, tag), uint64(len(key))), key...)
	}
	p.b = append(binary.AppendUvarint(p.b, uint64(len(text))), text...)
}

// Raw adds members as a Packer wrote them.
func (p *Packer) Raw(members string) { p.b = append(p.b, members...) }
