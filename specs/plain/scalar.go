package plain

import "strings"

// token is a scalar on one line.
type token struct {
	text  string
	style Style
	end   int // behind it
	colon int // where the colon is that makes a key of it, 0 if there is none
}

// scalar reads a scalar, in quotes or without.
func (r *reader) scalar(flow bool) token {
	switch c := r.text[r.at]; {
	case c == '"':
		return r.double()
	case c == '\'':
		return r.single()
	case flow:
		return r.flowPlain()
	}
	return r.plain()
}

// token reads a scalar in block style.
func (r *reader) token() token {
	t := r.scalar(false)
	if r.refused {
		return token{}
	}
	i := r.spaces(t.end)
	if i == r.end || r.text[i] != ':' || i+1 < r.end && r.text[i+1] != ' ' {
		return t
	}
	if i-r.at > maxKey {
		r.refuse()
		return token{}
	}
	t.colon = i
	return t
}

// starts says that a plain scalar may begin here.
func (r *reader) starts(flow bool) bool {
	c := r.text[r.at]
	if c == '-' {
		return r.at+1 < r.end && r.text[r.at+1] != ' ' && !(flow && strings.IndexByte(flowEnds, r.text[r.at+1]) >= 0)
	}
	return strings.IndexByte(indicators, c) < 0
}

const (
	indicators = " ?:,[]{}#&*!|>'\"%@`"
	flowEnds   = ",[]{}"
)

func (r *reader) plain() token {
	if !r.starts(false) {
		r.refuse()
		return token{}
	}
	i := r.at
scan:
	for ; i < r.end; i++ {
		switch r.text[i] {
		case ':':
			if i+1 == r.end || r.text[i+1] == ' ' {
				break scan
			}
		case '#':
			if r.text[i-1] == ' ' {
				break scan
			}
		case '\t':
			r.refuse()
			return token{}
		}
	}
	return r.word(i)
}

// word is a plain scalar that ends before a place in the line.
func (r *reader) word(end int) token {
	for end > r.at && r.text[end-1] == ' ' {
		end--
	}
	t := token{text: r.text[r.at:end], end: end}
	if t.text == "<<" {
		r.refuse()
	}
	return t
}

func (r *reader) single() token {
	for i := r.at + 1; i < r.end; i++ {
		if r.text[i] != '\'' {
			continue
		}
		if i+1 < r.end && r.text[i+1] == '\'' {
			i++
			continue
		}
		text := r.text[r.at+1 : i]
		if strings.IndexByte(text, '\'') >= 0 {
			text = strings.ReplaceAll(text, "''", "'")
		}
		return token{text: text, style: SingleQuoted, end: i + 1}
	}
	r.refuse()
	return token{}
}

func (r *reader) double() token {
	escapes := 0
	for i := r.at + 1; i < r.end; i++ {
		switch r.text[i] {
		case '\\':
			escapes++
			i++
		case '"':
			text := r.text[r.at+1 : i]
			if escapes > 0 {
				text = r.unescaped(text)
			}
			return token{text: text, style: DoubleQuoted, end: i + 1}
		}
	}
	r.refuse()
	return token{}
}

// unescaped knows the escapes that stand for one character as they do in JSON.
func (r *reader) unescaped(s string) string {
	from := r.room(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '\\' {
			i++
			if c = escaped(s[i]); c == 0 {
				r.refuse()
				return ""
			}
		}
		r.out.WriteByte(c)
	}
	return r.out.String()[from:]
}

func escaped(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	}
	return 0
}

// room makes room for a text that is no part of the read one. What is written
// is never written over, so that many texts share one piece of memory.
func (r *reader) room(size int) (from int) {
	if r.out.Cap()-r.out.Len() < size {
		r.out = strings.Builder{}
		r.out.Grow(max(size, min(4096, len(r.text)-r.begin)))
	}
	return r.out.Len()
}
