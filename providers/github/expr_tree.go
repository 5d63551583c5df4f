package github

import "strings"

// expr is one node of a parsed expression.
type expr struct {
	op   string // an operator, call, value, text, number, index
	text string // of a value its dotted name in lower case, of a call its name in lower case
	args []*expr
}

const (
	opCall   = "call"
	opValue  = "value"
	opText   = "text"
	opNumber = "number"
	opIndex  = "index" // a value whose name is not known before it runs
)

// maxExpr bounds how deep an expression goes, as GitHub does.
const maxExpr = 50

// parseExpr reads an expression. It is nil for what is none; a blank one is nil
// too.
func parseExpr(s string) *expr {
	if name, ok := dotted(s); ok {
		return &expr{op: opValue, text: strings.ToLower(name)}
	}
	return parseTokens(s)
}

func parseTokens(s string) *expr {
	var room fewTokens
	ts, ok := exprTokens(room[:0], s)
	if !ok || len(ts) == 0 {
		return nil
	}
	p := exprParser{tokens: ts}
	e := p.binary(0, 0)
	if p.bad || len(p.tokens) > 0 {
		return nil
	}
	return e
}

type exprParser struct {
	tokens []exprToken
	bad    bool
}

func (p *exprParser) sign(text string) bool {
	if len(p.tokens) > 0 && p.tokens[0].kind == exprSign && p.tokens[0].text == text {
		p.tokens = p.tokens[1:]
		return true
	}
	return false
}

// levels are the operators of two sides, the loosest first.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!="}, {"<", "<=", ">", ">="}}

func (p *exprParser) binary(level, depth int) *expr {
	if level == len(levels) {
		return p.unary(depth)
	}
	left := p.binary(level+1, depth)
	for !p.bad {
		op := ""
		for _, o := range levels[level] {
			if p.sign(o) {
				op = o
				break
			}
		}
		if op == "" {
			break
		}
		left = &expr{op: op, args: []*expr{left, p.binary(level+1, depth)}}
	}
	return left
}

func (p *exprParser) unary(depth int) *expr {
	if depth > maxExpr {
		p.bad = true
		return nil
	}
	if p.sign("!") {
		return &expr{op: "!", args: []*expr{p.unary(depth + 1)}}
	}
	e := p.primary(depth)
	for !p.bad {
		switch {
		case p.sign("."):
			e = p.member(e)
		case p.sign("["):
			e = p.index(e, depth)
		default:
			return e
		}
	}
	return e
}

func (p *exprParser) primary(depth int) *expr {
	if p.sign("(") {
		e := p.binary(0, depth+1)
		p.bad = p.bad || !p.sign(")")
		return e
	}
	if len(p.tokens) == 0 || p.tokens[0].kind == exprSign {
		p.bad = true
		return nil
	}
	t := p.tokens[0]
	p.tokens = p.tokens[1:]
	switch {
	case t.kind == exprText:
		return &expr{op: opText, text: t.text}
	case t.kind == exprNumber:
		return &expr{op: opNumber, text: t.text}
	case p.sign("("):
		return p.call(strings.ToLower(t.text), depth)
	}
	return &expr{op: opValue, text: strings.ToLower(t.text)}
}

func (p *exprParser) call(name string, depth int) *expr {
	e := &expr{op: opCall, text: name}
	if p.sign(")") {
		return e
	}
	for !p.bad {
		e.args = append(e.args, p.binary(0, depth+1))
		if p.sign(")") {
			return e
		}
		p.bad = p.bad || !p.sign(",")
	}
	return e
}

func (p *exprParser) member(of *expr) *expr {
	if p.sign("*") {
		return &expr{op: opIndex, args: []*expr{of}}
	}
	if len(p.tokens) == 0 || p.tokens[0].kind != exprWord {
		p.bad = true
		return of
	}
	name := strings.ToLower(p.tokens[0].text)
	p.tokens = p.tokens[1:]
	return below(of, name)
}

func (p *exprParser) index(of *expr, depth int) *expr {
	if p.sign("*") {
		p.bad = p.bad || !p.sign("]")
		return &expr{op: opIndex, args: []*expr{of}}
	}
	at := p.binary(0, depth+1)
	p.bad = p.bad || !p.sign("]")
	if !p.bad && at.op == opText {
		return below(of, strings.ToLower(at.text))
	}
	return &expr{op: opIndex, args: []*expr{of, at}}
}

func below(of *expr, name string) *expr {
	if of != nil && of.op == opValue {
		return &expr{op: opValue, text: of.text + "." + name}
	}
	return &expr{op: opIndex, args: []*expr{of}}
}

// walkExpr visits each node.
func walkExpr(e *expr, visit func(*expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, a := range e.args {
		walkExpr(a, visit)
	}
}
