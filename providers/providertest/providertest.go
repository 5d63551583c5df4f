// Package providertest is what every provider must do, as one test call, and a
// provider whose looks a test writes down beforehand.
package providertest

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
)

// Check looks twice and holds both looks against the contract: they are alike,
// there is at least one area, every gap has a reason with a next step, and every
// object names its source, an area that was looked at, and itself by the form of
// its provider.
func Check(t *testing.T, p providers.Provider) {
	t.Helper()
	first, second := look(t, p), look(t, p)
	if !reflect.DeepEqual(first.Objects, second.Objects) || !reflect.DeepEqual(first.Areas, second.Areas) || !reflect.DeepEqual(first.Notes, second.Notes) {
		t.Errorf("two looks at the same thing differ:\n%+v\n%+v", first, second)
	}
	if len(first.Areas) == 0 {
		t.Errorf("the look names no area, so that nothing can be called absent")
	}
	parts := map[string]bool{}
	for _, a := range first.Areas {
		parts[a.Part] = true
		if a.Gap() && a.Reason == "" {
			t.Errorf("area %s is %s without a reason", a.Part, a.State)
		}
		if !a.Gap() && a.Reason != "" {
			t.Errorf("area %s was read, with the reason %q", a.Part, a.Reason)
		}
	}
	for _, o := range first.Objects {
		checkObject(t, first, parts, o)
	}
}

func look(t *testing.T, p providers.Provider) providers.Observation {
	t.Helper()
	o := p.Observe(context.Background(), providers.Selection{})
	o.Sort()
	return o
}

func checkObject(t *testing.T, look providers.Observation, parts map[string]bool, o providers.Object) {
	t.Helper()
	if o.Source() != look.Source || o.Provider() != look.Provider {
		t.Errorf("%s: is of %s %s, the look of %s %s", o.ID, o.Provider(), o.Source(), look.Provider, look.Source)
	}
	if !strings.HasPrefix(o.ID, look.Provider+":"+look.Source+"/") {
		t.Errorf("%s: its id does not begin with %s:%s/", o.ID, look.Provider, look.Source)
	}
	if !parts[o.Part()] {
		t.Errorf("%s: was read in %q, which is no area of the look", o.ID, o.Part())
	}
	if o.Opaque && len(o.Inactive()) == 0 {
		t.Errorf("%s: could not be read as an entry and says no reason", o.ID)
	}
	for _, why := range o.Inactive() {
		if why.Code == "" {
			t.Errorf("%s: is inactive without a code", o.ID)
		}
	}
	if o.Marker().Role != "" && o.Marker().Invalid != "" {
		t.Errorf("%s: its marker is both good and bad", o.ID)
	}
}

// Looks is a provider that gives one observation after the other, and the last
// one for ever.
type Looks struct {
	List []providers.Observation
	n    int
}

// Observe gives the next look.
func (l *Looks) Observe(context.Context, providers.Selection) providers.Observation {
	o := l.List[min(l.n, len(l.List)-1)]
	l.n++
	return o
}
