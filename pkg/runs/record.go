package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Schema names the form of the records.
const Schema = "rolecall.run/v1"

// Header is what each record says first. Seq orders the records of one run.
type Header struct {
	Schema string    `json:"schema"`
	Kind   string    `json:"kind"`
	RunID  string    `json:"run_id"`
	Role   string    `json:"role"`
	Seq    int       `json:"seq"`
	Wall   time.Time `json:"wall"`
	Boot   int64     `json:"boottime_ns"`
	BootID string    `json:"boot_id"`
}

// Record is a header with its body.
type Record[T any] struct {
	Header
	Body T `json:"body"`
}

// ErrCorrupt says that a record is torn, edited, or of no form that is known.
var ErrCorrupt = errors.New("corrupt record")

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}

const (
	sumKey  = `,"sha256":"`
	sumTail = len(sumKey) + 2*sha256.Size + len("\"}\n")
)

// Encode writes a record: one JSON object on one line, whose last member is the
// SHA-256 of all bytes before it.
func Encode[T any](r Record[T]) ([]byte, error) { return seal(r.Header, r) }

func seal(h Header, record any) ([]byte, error) {
	data, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("record %s of role %s: %w", h.Kind, h.Role, err)
	}
	data = data[:len(data)-1]
	sum := sha256.Sum256(data)
	return fmt.Appendf(data, "%s%s\"}\n", sumKey, hex.EncodeToString(sum[:])), nil
}

// Decode reads a record of one kind. Whatever is not byte for byte what Encode
// wrote is ErrCorrupt.
func Decode[T any](kind string, data []byte) (Record[T], error) {
	var r Record[T]
	if err := unseal(kind, data, &r.Header, &r); err != nil {
		return Record[T]{}, err
	}
	return r, nil
}

// unseal decodes into a record, of which h is the header.
func unseal(kind string, data []byte, h *Header, record any) error {
	if len(data) < sumTail+2 {
		return corrupt("%d bytes are no record", len(data))
	}
	head, tail := data[:len(data)-sumTail], data[len(data)-sumTail:]
	sum := sha256.Sum256(head)
	if want := sumKey + hex.EncodeToString(sum[:]) + "\"}\n"; string(tail) != want {
		return corrupt("its checksum does not fit; it is torn or was edited")
	}
	if err := json.Unmarshal(append(bytes.Clone(head), '}'), record); err != nil {
		return corrupt("%v", err)
	}
	if h.Schema != Schema || h.Kind != kind {
		return corrupt("it is a %q of %q, where a %q of %q belongs", h.Kind, h.Schema, kind, Schema)
	}
	return nil
}
