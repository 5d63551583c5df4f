package redact

import "strings"

// automaton finds many cues in one walk over a text, whatever the text: the
// string matching of Aho and Corasick (Communications of the ACM 18, 1975), with
// the failure function worked into the table of moves.
type automaton struct {
	class  [256]uint8 // of a byte; 0 is that of the bytes that are in no cue
	width  int        // how many classes there are
	moves  []uint16   // by state and class
	found  []finders  // by state: of the cues that end there and count everywhere
	placed [][]cue    // by state: the others that end there
	ends   []bool     // by state: whether there are any
	always finders
}

func newAutomaton(cues []cue) *automaton {
	a := &automaton{}
	a.classes(cues)
	most := 1
	for _, c := range cues {
		most += len(c.text)
	}
	a.moves, a.found, a.placed, a.ends = make([]uint16, 0, most*a.width), make([]finders, 0, most), make([][]cue, 0, most), make([]bool, 0, most)
	a.grow()
	for _, c := range cues {
		state := 0
		for i := range len(c.text) {
			move := &a.moves[state*a.width+int(a.class[c.text[i]])]
			if *move == 0 {
				*move = uint16(len(a.found))
				state = a.grow() // moves may have been moved
				continue
			}
			state = int(*move)
		}
		if c.at == nil {
			a.found[state].add(c.finder)
		} else {
			a.placed[state] = append(a.placed[state], c)
		}
	}
	a.complete()
	return a
}

// classes numbers the bytes of the cues; a capital is as its small letter.
func (a *automaton) classes(cues []cue) {
	a.width = 1
	for _, c := range cues {
		for i := range len(c.text) {
			if b := c.text[i]; a.class[b] == 0 {
				a.class[b] = uint8(a.width)
				a.width++
			}
		}
	}
	for b := 'A'; b <= 'Z'; b++ {
		a.class[b] = a.class[b-'A'+'a']
	}
}

// grow adds a state.
func (a *automaton) grow() int {
	a.moves = append(a.moves, make([]uint16, a.width)...)
	a.found = append(a.found, finders{})
	a.placed = append(a.placed, nil)
	a.ends = append(a.ends, false)
	return len(a.found) - 1
}

// complete gives each state the moves and cues of the longest end of its text
// that begins a cue, level by level.
func (a *automaton) complete() {
	fail := make([]uint16, len(a.found))
	var queue []uint16
	for c := range a.width {
		if to := a.moves[c]; to != 0 {
			queue = append(queue, to)
		}
	}
	for at := 0; at < len(queue); at++ {
		state := int(queue[at])
		back := int(fail[state])
		a.found[state].join(a.found[back])
		a.placed[state] = append(a.placed[state], a.placed[back]...)
		a.ends[state] = a.found[state] != finders{} || len(a.placed[state]) > 0
		for c := range a.width {
			move, other := &a.moves[state*a.width+c], a.moves[back*a.width+c]
			if *move == 0 {
				*move = other
				continue
			}
			fail[*move] = other
			queue = append(queue, *move)
		}
	}
}

// in are the finders of the cues that are in a text.
func (a *automaton) in(s string) finders {
	out, ascii := a.walk(s)
	if !ascii { // there are other letters of which the small ones are in cues
		low, _ := a.walk(strings.ToLower(s))
		out.join(low)
	}
	return out
}

// walk takes capitals of ASCII for small letters, and says whether all is ASCII.
func (a *automaton) walk(s string) (out finders, ascii bool) {
	out = a.always
	state, all := 0, byte(0)
	for i := range len(s) {
		all |= s[i]
		state = int(a.moves[state*a.width+int(a.class[s[i]])])
		if !a.ends[state] {
			continue
		}
		out.join(a.found[state])
		for _, c := range a.placed[state] {
			if c.at(s, i+1-len(c.text), i+1) {
				out.add(c.finder)
			}
		}
	}
	return out, all < 0x80
}
