package kubernetes

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// listMeta is what a list says of itself.
type listMeta = metav1.ListMeta

// form is how an item is written.
type form uint8

const (
	protobufForm form = iota
	jsonForm
)

// message is what every type of the Kubernetes API can do.
type message interface{ Unmarshal([]byte) error }

// decode reads one item.
func (f form) decode(data []byte, into message) error {
	if f == protobufForm {
		return into.Unmarshal(data)
	}
	return kjson.UnmarshalCaseSensitivePreserveInts(data, into)
}

// decodeJob reads one CronJob over what was there. It is good as long as data is.
func decodeJob(f form, data []byte, into *liveJob, s *spine) error {
	if f == protobufForm {
		return unmarshalJob(data, into, s)
	}
	*into = liveJob{}
	return f.decode(data, &into.CronJob)
}

// maxItem is the largest item that is taken, in bytes. The API server refuses a
// request above 3 MiB, etcd by default one above 1.5 MiB.
const maxItem = 32 << 20

var errCut = fmt.Errorf("the list was cut short: %w", io.ErrUnexpectedEOF)

// decodeList reads a list of a kind and hands on its items one by one, in
// protobuf or JSON, as the answer's first bytes say: not every proxy speaks
// protobuf. The data is only valid during the call. Anything short of a whole
// list and a clean end is an error; items before it have been handed on.
func decodeList(r *bufio.Reader, kind string, item func(form, []byte)) (listMeta, error) {
	head, err := r.Peek(len(protoMagic))
	switch {
	case string(head) == protoMagic:
		_, _ = r.Discard(len(protoMagic))
		return decodeProto(r, kind, item)
	case len(bytes.TrimLeft(head, " \t\r\n")) > 0 && bytes.TrimLeft(head, " \t\r\n")[0] == '{':
		return decodeJSON(r, kind, item)
	case len(head) == 0 && errors.Is(err, io.EOF):
		return listMeta{}, errors.New("the answer is empty")
	case err != nil:
		return listMeta{}, cut(err)
	}
	return listMeta{}, errors.New("the answer is not from the Kubernetes API, as if a proxy or login page had given it; check the server's address and the login")
}

// cut makes of an end in the middle the error that says so.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCut
	}
	return err
}

// protoMagic begins every protobuf answer; a runtime.Unknown follows, whose
// field raw is the list (apimachinery, serializer/protobuf).
const protoMagic = "k8s\x00"

// decodeProto walks the fields of the Unknown.
func decodeProto(r *bufio.Reader, kind string, item func(form, []byte)) (listMeta, error) {
	w := &wire{r: r, left: math.MaxInt64}
	var envelope runtime.Unknown
	var meta listMeta
	listed := false
	for {
		field, size, err := w.next()
		switch {
		case errors.Is(err, io.EOF) && listed:
			return meta, nil
		case err != nil:
			return meta, cut(err)
		}
		switch field {
		case 1: // typeMeta
			if err = w.message(size, &envelope.TypeMeta); err == nil {
				err = checkKind(envelope.Kind, kind)
			}
		case 2: // raw
			if envelope.Kind == "" {
				err = checkKind("", kind)
				break
			}
			listed = true
			meta, err = decodeItems(&wire{r: r, left: size}, item)
		default: // an encoding of raw that is not plain would have failed there
			err = w.skip(size)
		}
		if err != nil {
			return meta, cut(err)
		}
	}
}

// decodeItems walks the fields of a list: metadata is 1, items are 2.
func decodeItems(w *wire, item func(form, []byte)) (listMeta, error) {
	var meta listMeta
	stated := false
	for w.left > 0 {
		field, size, err := w.next()
		if err == nil {
			switch field {
			case 1:
				stated = true
				err = w.message(size, &meta)
			case 2:
				var data []byte
				if data, err = w.bytes(size); err == nil {
					item(protobufForm, data)
				}
			default:
				err = w.skip(size)
			}
		}
		if err != nil {
			return meta, cut(err)
		}
	}
	if !stated {
		return meta, errors.New("the list has no metadata, so it cannot be known to be whole")
	}
	return meta, nil
}

// wire reads protobuf fields, as many bytes as there are left.
type wire struct {
	r    *bufio.Reader
	left int64
	buf  bytes.Buffer
}

// next is the number and size of the field that follows. All fields of a list
// and its envelope are length-delimited (wire type 2). At the end the error is
// io.EOF.
func (w *wire) next() (field int, size int64, err error) {
	tag, err := w.varint()
	if err != nil {
		return 0, 0, err
	}
	if tag&7 != 2 {
		return 0, 0, fmt.Errorf("unknown protobuf wire type %d", tag&7)
	}
	n, err := w.varint()
	if err != nil {
		return 0, 0, cut(err)
	}
	if n > uint64(w.left) {
		return 0, 0, fmt.Errorf("a field of %d bytes stands where %d are left", n, w.left)
	}
	return int(tag >> 3 & math.MaxInt32), int64(n), nil
}

func (w *wire) varint() (uint64, error) { return binary.ReadUvarint(w) }

// ReadByte counts what is left.
func (w *wire) ReadByte() (byte, error) {
	if w.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	b, err := w.r.ReadByte()
	if err == nil {
		w.left--
	}
	return b, err
}

// bytes is a field's content, valid until the next one is read.
func (w *wire) bytes(size int64) ([]byte, error) {
	if size > maxItem {
		return nil, fmt.Errorf("an item of %d bytes is larger than the API server takes", size)
	}
	if size <= int64(w.r.Size()) { // where it stands: most are small
		data, err := w.r.Peek(int(size))
		n, _ := w.r.Discard(len(data))
		w.left -= int64(n)
		return data, err
	}
	w.buf.Reset()
	n, err := io.CopyN(&w.buf, w.r, size)
	w.left -= n
	return w.buf.Bytes(), err
}

func (w *wire) message(size int64, into message) error {
	data, err := w.bytes(size)
	if err != nil {
		return err
	}
	return into.Unmarshal(data)
}

func (w *wire) skip(size int64) error {
	n, err := io.CopyN(io.Discard, w.r, size)
	w.left -= n
	return err
}

// decodeJSON walks the members of a list's object.
func decodeJSON(r io.Reader, kind string, item func(form, []byte)) (listMeta, error) {
	d := json.NewDecoder(r)
	var meta listMeta
	var got string
	stated := false
	if err := expect(d, json.Delim('{')); err != nil {
		return meta, err
	}
	for d.More() {
		key, err := d.Token()
		if err == nil {
			switch key {
			case "kind":
				if err = d.Decode(&got); err == nil {
					err = checkKind(got, kind)
				}
			case "metadata":
				stated = true
				err = d.Decode(&meta)
			case "items":
				err = jsonItems(d, item)
			default:
				err = d.Decode(new(json.RawMessage))
			}
		}
		if err != nil {
			return meta, cut(err)
		}
	}
	if err := expect(d, json.Delim('}')); err != nil {
		return meta, err
	}
	if !stated || got == "" {
		return meta, errors.New("the answer has no kind or no metadata, so it cannot be known to be a whole list")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return meta, fmt.Errorf("text stands behind the list: %v", err)
	}
	return meta, nil
}

func jsonItems(d *json.Decoder, item func(form, []byte)) error {
	open, err := d.Token()
	if err != nil || open == nil { // null: an empty list in Go's encoding
		return err
	}
	if open != json.Delim('[') {
		return errors.New("the list's items are not a list")
	}
	for d.More() {
		var data json.RawMessage
		if err := d.Decode(&data); err != nil {
			return err
		}
		item(jsonForm, data)
	}
	return expect(d, json.Delim(']'))
}

func expect(d *json.Decoder, want json.Delim) error {
	got, err := d.Token()
	if err != nil {
		return cut(err)
	}
	if got != want {
		return fmt.Errorf("the answer has %v where %v belongs", got, want)
	}
	return nil
}

func checkKind(got, want string) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("the answer is a %q and not a %s; check the server's address", shorten(strings.ToValidUTF8(got, "?")), want)
}
