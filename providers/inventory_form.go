package providers

import (
	"encoding/json"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/rolecall-dev/rolecall/specs"
)

// The forms are an inventory as it is written. Every key is always present, and
// no list is null.

type inventoryForm struct {
	Schema           string            `json:"schema"`
	Tool             string            `json:"tool"`
	Canonicalisation string            `json:"canonicalisation"`
	ObservedAt       time.Time         `json:"observed_at"`
	Observations     []observationForm `json:"observations"`
}

type observationForm struct {
	Source   text         `json:"source"`
	Provider string       `json:"provider"`
	Requests int          `json:"requests"`
	Areas    []areaForm   `json:"areas"`
	Objects  []objectForm `json:"objects"`
	Notes    []noteForm   `json:"notes"`
	// Runs is what the source's run records say, by role.
	Runs map[string]*evidenceForm `json:"runs"`
	// Accounts is the same of those that count for one account, by its name.
	Accounts map[string]map[string]*evidenceForm `json:"accounts"`
}

type areaForm struct {
	Part   text      `json:"part"`
	State  AreaState `json:"state"`
	Reason text      `json:"reason"`
}

type noteForm struct {
	Code     string    `json:"code"`
	Message  text      `json:"message"`
	Location placeForm `json:"location"`
}

type objectForm struct {
	ID        text           `json:"id"`
	Part      text           `json:"part"`
	Location  placeForm      `json:"location"`
	Marker    *markerForm    `json:"marker"`
	Attrs     map[string]any `json:"attrs"`
	Labels    map[string]any `json:"labels"`
	Hash      string         `json:"hash"`
	Schedules []scheduleForm `json:"schedules"`
	Body      any            `json:"body"`
	Cosmetic  any            `json:"cosmetic"`
	Env       any            `json:"env"`
	Inactive  []inactiveForm `json:"inactive"`
	Opaque    *bool          `json:"opaque"`
	Entries   []entryForm    `json:"entries"`
	UID       text           `json:"uid"`
	Created   *time.Time     `json:"created"`
	Changes   []changeForm   `json:"changes"`
	Runs      *evidenceForm  `json:"runs"`
}

type placeForm struct {
	File   text `json:"file"`
	Line   int  `json:"line"`
	Column int  `json:"column"`
}

type markerForm struct {
	Role     text      `json:"role"`
	Version  text      `json:"version"`
	Invalid  text      `json:"invalid"`
	Location placeForm `json:"location"`
}

type scheduleForm struct {
	Text       text          `json:"text"`
	Zone       string        `json:"zone"`
	Dialect    specs.Dialect `json:"dialect"`
	Canonical  text          `json:"canonical"`
	NeverFires bool          `json:"never_fires"`
	// Words and Next are for people, and are not read back.
	Words text        `json:"words"`
	Next  []time.Time `json:"next"`
}

type inactiveForm struct {
	Code   string `json:"code"`
	Detail text   `json:"detail"`
	Next   text   `json:"next"`
}

type entryForm struct {
	Text     text         `json:"text"`
	Schedule scheduleForm `json:"schedule"`
	Location placeForm    `json:"location"`
}

type changeForm struct {
	Who      text       `json:"who"`
	When     *time.Time `json:"when"`
	Evidence text       `json:"evidence"`
	Paths    []text     `json:"paths"`
}

// text is a string from a scheduler. JSON has no form for bytes that are no
// UTF-8; a text that has some is written as {"bytes": base64}, so that two
// different ones stay different.
type text string

func (t text) MarshalJSON() ([]byte, error) { return json.Marshal(t.tree()) }

func (t text) tree() any {
	if utf8.ValidString(string(t)) {
		return string(t)
	}
	return map[string]any{"bytes": []byte(t)}
}

func (t *text) UnmarshalJSON(data []byte) error {
	var plain string
	if json.Unmarshal(data, &plain) == nil {
		*t = text(plain)
		return nil
	}
	var raw struct {
		Bytes *[]byte `json:"bytes"`
	}
	if err := json.Unmarshal(data, &raw); err != nil || raw.Bytes == nil {
		return errors.New("a text is neither a string nor bytes")
	}
	*t = text(*raw.Bytes)
	return nil
}
