package redact

import (
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"github.com/zricethezav/gitleaks/v8/config"
)

// rule is one rule of the detector: a form of token, and the words without which
// a text need not be searched for it.
type rule struct {
	id       string
	keywords []string
	group    int
	entropy  float64 // bits a character; a text below it is no secret
	re       func() *regexp.Regexp
	except   func() []*regexp.Regexp
}

// guesses is the one rule that knows no token's form, but goes by names and
// likelihood. Its exceptions are kept; those of the others are examples from
// manuals, which are masked too.
const guesses = "generic-api-key"

// ruleFile is what is used of the detector's rules.
type ruleFile struct {
	Rules []struct {
		ID          string
		Regex       string
		Keywords    []string
		Entropy     float64
		SecretGroup int `toml:"secretGroup"`
		Allowlists  []struct{ Regexes []string }
	}
}

// rules are read at the first use. The text is part of the program, so that it
// can be read is proven by a test.
var rules = sync.OnceValue(func() []rule {
	var file ruleFile
	if err := toml.Unmarshal([]byte(config.DefaultConfig), &file); err != nil {
		panic("redact: the detector's rules cannot be read: " + err.Error())
	}
	var out []rule
	for _, r := range file.Rules {
		if r.Regex == "" {
			continue
		}
		var allow []string
		if r.ID == guesses {
			for _, a := range r.Allowlists {
				allow = append(allow, a.Regexes...)
			}
		}
		out = append(out, rule{
			id: r.ID, keywords: r.Keywords, group: r.SecretGroup, entropy: r.Entropy,
			re:     sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(r.Regex) }),
			except: sync.OnceValue(func() []*regexp.Regexp { return compileAll(allow) }),
		})
	}
	return out
})

func compileAll(exprs []string) []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(exprs))
	for i, e := range exprs {
		out[i] = regexp.MustCompile(e)
	}
	return out
}

// detected finds tokens by their form.
func detected(s string, asked finders, found *spans) {
	low := strings.ToLower(s)
	for i := range rules() {
		r := &rules()[i]
		if !asked.has(firstRule()+i) || len(r.keywords) > 0 && !containsAny(low, r.keywords) {
			continue
		}
		for _, m := range r.re().FindAllStringSubmatchIndex(s, -1) {
			from, to := r.secret(m)
			if r.accepts(s[m[0]:m[1]], s[from:to]) {
				found.add(from, to)
			}
		}
	}
}

// secret is the range of the secret in a match: the rule's group, else the first
// group that matched, else all.
func (r *rule) secret(m []int) (int, int) {
	if g := r.group; g > 0 && 2*g+1 < len(m) && m[2*g] >= 0 {
		return m[2*g], m[2*g+1]
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 && m[i] < m[i+1] {
			return m[i], m[i+1]
		}
	}
	return m[0], m[1]
}

func (r *rule) accepts(match, secret string) bool {
	if strings.Contains(secret, Mask) || r.entropy > 0 && entropy(secret) <= r.entropy {
		return false
	}
	for _, e := range r.except() {
		if e.MatchString(match) || e.MatchString(secret) {
			return false
		}
	}
	return true
}

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := 0; i < len(s); i++ {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
