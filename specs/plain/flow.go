package plain

import "strings"

// flow reads a flow collection that ends in its line.
func (r *reader) flow() {
	r.deeper()
	kind, closing := Sequence, byte(']')
	if r.at < r.end && r.text[r.at] == '{' {
		kind, closing = Mapping, '}'
	}
	me := r.add(kind, Flow, r.at, "")
	for r.at = r.spaces(r.at + 1); r.at < r.end && r.text[r.at] != closing; r.at = r.spaces(r.at) {
		if kind == Mapping {
			r.flowKey()
		}
		r.flowValue()
		r.separator(closing)
	}
	if r.at >= r.end {
		r.refuse()
	} else {
		r.at++
	}
	r.ended(me)
}

// separator passes over a comma, and stays before what closes the collection.
func (r *reader) separator(closing byte) {
	switch r.at = r.spaces(r.at); {
	case r.at >= r.end:
		r.refuse()
	case r.text[r.at] == ',':
		r.at++
	case r.text[r.at] != closing:
		r.refuse()
	}
}

// flowKey reads a key with its colon.
func (r *reader) flowKey() {
	from := r.at
	r.flowScalar()
	r.at = r.spaces(r.at)
	if r.at >= r.end || r.text[r.at] != ':' || r.at-from > maxKey {
		r.refuse()
		return
	}
	r.at = r.spaces(r.at + 1)
}

func (r *reader) flowValue() {
	if r.at < r.end && (r.text[r.at] == '[' || r.text[r.at] == '{') {
		r.flow()
		return
	}
	r.flowScalar()
}

func (r *reader) flowScalar() {
	if r.at >= r.end {
		r.refuse()
		return
	}
	t := r.scalar(true)
	if r.refused {
		return
	}
	r.add(Scalar, t.style, r.at, t.text)
	r.at = t.end
}

// flowPlain refuses the characters on which readers of YAML have differed.
func (r *reader) flowPlain() token {
	if !r.starts(true) {
		r.refuse()
		return token{}
	}
	i := r.at
scan:
	for ; i < r.end; i++ {
		switch c := r.text[i]; c {
		case ',', '[', ']', '{', '}':
			break scan
		case ':':
			if i+1 == r.end || r.text[i+1] == ' ' {
				break scan
			}
			if strings.IndexByte(flowEnds, r.text[i+1]) >= 0 {
				r.refuse()
				return token{}
			}
		case '#':
			if r.text[i-1] == ' ' {
				r.refuse()
				return token{}
			}
		case '?', '\t':
			r.refuse()
			return token{}
		}
	}
	return r.word(i)
}
