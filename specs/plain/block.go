package plain

// element reads a value in block style that is indented more than its parent.
func (r *reader) element(parent int) {
	if r.dash() {
		r.sequence(r.col)
		return
	}
	switch r.text[r.at] {
	case '[', '{':
		r.flow()
		r.close(r.at)
	case '|', '>':
		r.block(parent)
	default:
		t := r.token()
		if t.colon > 0 {
			r.mapping(r.col)
			return
		}
		r.add(Scalar, t.style, r.at, t.text)
		r.close(t.end)
	}
}

// dash says that an entry of a sequence begins here.
func (r *reader) dash() bool {
	return r.at < r.end && r.text[r.at] == '-' && (r.at+1 == r.end || r.text[r.at+1] == ' ')
}

func (r *reader) sequence(col int) {
	r.deeper()
	me := r.add(Sequence, Plain, r.at, "")
	for r.col == col && r.dash() {
		line, column := r.line, r.column(r.at+1)
		r.at = r.spaces(r.at + 1)
		switch r.col = r.at - r.begin; {
		case r.at < r.end && r.text[r.at] != '#':
			r.element(col)
		default:
			r.below(col, false, line, column)
		}
	}
	r.left(col)
	r.ended(me)
}

func (r *reader) mapping(col int) {
	r.deeper()
	me := r.add(Mapping, Plain, r.at, "")
	for r.col == col && !r.dash() {
		t := r.token()
		if t.colon == 0 {
			r.refuse()
			break
		}
		r.add(Scalar, t.style, r.at, t.text)
		line, column := r.line, r.column(t.colon+1)
		r.at = r.spaces(t.colon + 1)
		if r.at < r.end && r.text[r.at] != '#' {
			r.beside(col)
		} else {
			r.below(col, true, line, column)
		}
	}
	r.left(col)
	r.ended(me)
}

// beside reads a value in the line of its key.
func (r *reader) beside(col int) {
	switch c := r.text[r.at]; {
	case c == '[' || c == '{':
		r.flow()
		r.close(r.at)
	case c == '|' || c == '>':
		r.block(col)
	default:
		t := r.token()
		if t.colon > 0 {
			r.refuse()
		}
		r.add(Scalar, t.style, r.at, t.text)
		r.close(t.end)
	}
}

// below reads a value in the lines below its key or dash. One that is left out
// stands, in yaml.v3, right behind the colon or the dash.
func (r *reader) below(col int, key bool, line, column int32) {
	r.next()
	switch {
	case r.col > col:
		r.element(col)
	case key && r.col == col && r.dash():
		r.sequence(col)
	default:
		r.put(Node{Line: line, Column: column})
	}
}

// left refuses what is neither a further member of a collection nor behind it:
// it goes on with a scalar, or is an error.
func (r *reader) left(col int) {
	if r.col > col {
		r.refuse()
	}
}
