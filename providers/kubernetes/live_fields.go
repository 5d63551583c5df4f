package kubernetes

import "encoding/binary"

// cutBefore is where the first field of a number begins, or the end.
func cutBefore(data []byte, number uint64) (int, bool) {
	for at := data; len(at) > 0; {
		f, ok := fieldIn(at)
		if !ok {
			return 0, false
		}
		if f.number == number {
			return len(data) - len(at), true
		}
		at = f.rest
	}
	return len(data), true
}

// wireField is one field of a protobuf message: content is that of one with a
// length, value that of any other; whole is all of the field, rest what follows.
type wireField struct {
	number               uint64
	sized                bool
	value                uint64
	content, whole, rest []byte
}

// fieldIn is the field at the beginning of data. Those of fixed size, which a
// CronJob's metadata does not have, are not read.
func fieldIn(data []byte) (f wireField, ok bool) {
	tag, n := binary.Uvarint(data)
	if n <= 0 || tag>>3 == 0 || tag>>3 > 1<<29-1 {
		return f, false
	}
	f.number, f.sized = tag>>3, tag&7 == 2
	value, m := binary.Uvarint(data[n:])
	if m <= 0 || tag&7 != 0 && !f.sized {
		return f, false
	}
	f.rest = data[n+m:]
	if f.sized {
		if value > uint64(len(f.rest)) {
			return f, false
		}
		f.content, f.rest = f.rest[:value:value], f.rest[value:]
	} else {
		f.value = value
	}
	f.whole = data[:len(data)-len(f.rest)]
	return f, true
}

// what becomes of a field.
type taken uint8

const (
	leave  taken = iota // among what is left of the message
	took                // it was wanted, and is not left
	giveUp              // only Unmarshal knows what the message means
)

// takeFields hands on the fields of a message one by one, and adds those that are
// not wanted to left, as they stand. It is false for what it cannot read.
func takeFields(data, left []byte, take func(wireField) taken) ([]byte, bool) {
	for len(data) > 0 {
		f, ok := fieldIn(data)
		if !ok {
			return nil, false
		}
		switch take(f) {
		case leave:
			left = append(left, f.whole...)
		case giveUp:
			return nil, false
		}
		data = f.rest
	}
	return left, true
}

// once takes the content of a field that may stand in its message once. What a
// second one adds to the first is for Unmarshal to say.
func (f wireField) once(into *[]byte) taken {
	if !f.sized || *into != nil {
		return giveUp
	}
	*into = f.content
	return took
}
