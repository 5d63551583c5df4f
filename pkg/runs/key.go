package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Key is the idempotency key of an occurrence, the same for each try of it: a
// hash of the role, the spec and the due instant. A run that is for no instant
// has a key of its own, made from its id.
func Key(role, specHash string, due *time.Time, id string) string {
	parts := []string{role, specHash}
	if due != nil {
		parts = append(parts, "due", due.UTC().Format(time.RFC3339Nano))
	} else {
		parts = append(parts, "run", id)
	}
	text, _ := json.Marshal(parts) // a list of texts
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
