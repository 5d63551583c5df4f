package draft

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs/lazy"
)

// name gives every role that has no marker a key: as short as it can be told
// from the others. What a marker names is taken, also where its object is left
// out.
func (d *drafter) name() {
	taken := map[string]bool{}
	for _, s := range d.Sources {
		for _, o := range s.Observation.Objects {
			taken[o.Marker().Role] = true
		}
	}
	var nameless []*role
	var wants [][]string
	for _, r := range d.roles {
		if r.key == "" {
			nameless = append(nameless, r)
			wants = append(wants, d.wishes(r.objects[0]))
		}
	}
	tellApart(nameless, wants, d.Rules.Mask)
	bySource := map[string]int{}
	longer := make([]string, len(wants))
	for i, w := range wants {
		longer[i] = slug(nameless[i].sources[0] + "-" + w[len(w)-1])
		bySource[longer[i]]++
	}
	for i := range wants {
		if bySource[longer[i]] == 1 {
			wants[i] = append(wants[i], longer[i])
		}
	}
	for i, key := range assign(wants, taken) {
		nameless[i].key = key
	}
}

// wishes are keys for an object, each longer than the one before.
func (d *drafter) wishes(o providers.Object) []string {
	var out []string
	for _, words := range d.shortNames(o) {
		if key := slug(strings.Join(words, "-")); key != "" {
			out = append(out, key)
		}
	}
	if len(out) == 0 {
		out = append(out, "job")
	}
	return out
}

func (d *drafter) shortNames(o providers.Object) [][]string {
	mask := d.Rules.Mask
	switch o.Provider() {
	case "kubernetes":
		name, ns := mask(o.Attr("name")), mask(o.Attr("namespace"))
		return [][]string{{name}, {ns, name}}
	case "github":
		file := path.Base(o.Attr("workflow"))
		file = mask(strings.TrimSuffix(file, path.Ext(file)))
		return [][]string{{file}, {path.Base(o.Attr("repo")), file}, {o.Attr("repo"), file}}
	}
	program, argument := programOf(mask(o.Attr("command")))
	out := [][]string{{program}, {program, argument}, {program, argument, mask(o.Attr("user"))}}
	if c := mask(o.Attr("comment")); slug(c) != "" {
		if _, said, ok := strings.Cut(c, ": "); ok && slug(said) != "" {
			c = said // behind Ansible: or Puppet Name:
		}
		out = append([][]string{{c}}, out...)
	}
	return out
}

// assign gives each its first wish that no one else has. Those that want the
// same take their next, longer one; where none is left they are numbered.
func assign(wants [][]string, taken map[string]bool) []string {
	at := make([]int, len(wants))
	for moved := true; moved; {
		moved = false
		count := map[string]int{}
		for i, w := range wants {
			count[w[at[i]]]++
		}
		for i, w := range wants {
			if key := w[at[i]]; (count[key] > 1 || taken[key]) && at[i]+1 < len(w) {
				at[i]++
				moved = true
			}
		}
	}
	shorten(wants, at)
	used := make(map[string]bool, len(taken)+len(wants))
	for key := range taken {
		used[key] = true
	}
	next := map[string]int{}
	out := make([]string, len(wants))
	for i, w := range wants {
		key := w[at[i]]
		for used[key] {
			base := w[at[i]]
			next[base]++
			key = base[:min(len(base), longestKey-8)] + "-" + strconv.Itoa(next[base]+1)
		}
		used[key] = true
		out[i] = key
	}
	return out
}

// shorten takes those that no wish tells apart back to the shortest that is
// theirs alone, which they will be numbered by.
func shorten(wants [][]string, at []int) {
	same := map[string][]int{}
	for i, w := range wants {
		same[w[at[i]]] = append(same[w[at[i]]], i)
	}
	having := map[string]map[int]bool{}
	for i, w := range wants {
		for _, key := range w {
			if having[key] == nil {
				having[key] = map[int]bool{}
			}
			having[key][i] = true
		}
	}
	for _, group := range same {
		if len(group) < 2 {
			continue
		}
		for n, key := range wants[group[0]] {
			shared := !slices.ContainsFunc(group, func(i int) bool { return n >= len(wants[i]) || wants[i][n] != key })
			if shared && len(having[key]) == len(group) {
				for _, i := range group {
					at[i] = n
				}
				break
			}
		}
	}
}

// tellApart adds to what entries of one program want the words that not all of
// them have: a queue, a region, hourly.
func tellApart(roles []*role, wants [][]string, mask func(string) string) {
	byFirst := map[string][]int{}
	for i, w := range wants {
		if roles[i].objects[0].Provider() == "crontab" {
			byFirst[w[0]] = append(byFirst[w[0]], i)
		}
	}
	for first, group := range byFirst {
		if len(group) < 2 || len(group) > 200 {
			continue
		}
		count := map[string]int{}
		words := make([][]string, len(group))
		for n, i := range group {
			words[n] = wordsOf(mask(roles[i].objects[0].Attr("command")))
			for _, w := range words[n] {
				count[w]++
			}
		}
		for n, i := range group {
			own := slices.DeleteFunc(words[n], func(w string) bool { return count[w] == len(group) })
			if len(own) > 0 {
				key := slug(first + "-" + strings.Join(own[:min(len(own), 3)], "-"))
				wants[i] = slices.Insert(wants[i], 1, key)
			}
		}
	}
}

// wordsOf are the words of a command that can say what it is about, each once:
// arguments, and options with two hyphens, but no variables, numbers of
// descriptors and redirections.
func wordsOf(command string) []string {
	var out []string
	redirected := false
	for _, f := range strings.Fields(running(command)) {
		if redirected {
			redirected = false
			continue
		}
		redirected = strings.ContainsAny(f, "<>") && strings.Trim(f, "<>&0123456789") == ""
		option, isOption := strings.CutPrefix(f, "--")
		if strings.ContainsAny(f, "<>$*()|&;") || strings.HasPrefix(f, "-") && !isOption || assignment().MatchString(f) {
			continue
		}
		name, value, _ := strings.Cut(option, "=")
		for _, w := range []string{name, value} {
			if w = slug(bare(strings.Trim(w, "\"'`"))); w != "" && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

const longestKey = 63

// slug makes the key of a role out of a text: runs of what cannot stand in one
// become a hyphen.
func slug(s string) string {
	b := make([]byte, 0, longestKey)
	for i := 0; i < len(s) && len(b) < longestKey; i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return strings.Trim(string(b), "-._")
}

var (
	assignment = lazy.Expression(`^[A-Za-z_][A-Za-z0-9_]*=`)
	// placeholder is a folder that is still to be filled in: <root>/bin/x.
	placeholder = lazy.Expression(`<[A-Za-z_][\w-]*>(/\S)`)
	// account stands before the command in a system's table that was read as a
	// user's.
	account    = lazy.Expression(`^\s*(?:(?:root|nobody|www-data)\s+(\S)|[a-z_][a-z0-9_-]*\s+(/(?:usr/)?(?:local/)?s?bin/))`)
	separators = lazy.Expression(`&&|\|\||[;|&\n(){}]`)

	// fillers are commands that say nothing of what a job is for.
	fillers = words("cd test [ [[ ] export source . set sleep umask true false : command fi case esac done exit touch mkdir logger RANDOM")
	// keywords stand before a command.
	keywords = words("if then else elif while until do ! time")
	// carriers run what stands behind them.
	carriers = words("sudo su doas runuser nice ionice chronic cronic exec env nohup timeout flock setlock chpst systemd-cat run-one chroot stdbuf setsid")
	// vague names are those of scripts that are named after nothing.
	vague = words("script run main index start cron job jobs cli app")
	// places are folders that say nothing either.
	places = words("bin sbin scripts script src opt app lib libexec usr srv local home etc cron")
	// interpreters run the script that stands behind them.
	interpreters = words("sh bash dash zsh ksh ash python python2 python3 perl ruby php node java Rscript pwsh")
)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// programOf is the name of what a command runs and of its first argument, as
// well as that can be told without a shell.
func programOf(command string) (program, argument string) {
	part := running(command)
	if program, argument = programIn(strings.Fields(part)); program != "" {
		return program, argument
	}
	for _, f := range strings.Fields(part) {
		if base := bare(f); slug(base) != "" && !keywords[f] && !assignment().MatchString(f) {
			return base, "" // only what says nothing
		}
	}
	return "", ""
}

// running is the part of a command that says what it is for: the first in which
// a program stands that does, or else all of it.
func running(command string) string {
	command = command[:min(len(command), 1<<12)]
	command = account().ReplaceAllString(placeholder().ReplaceAllString(command, "$1"), "$1$2")
	for _, part := range separators().Split(command, -1) {
		if program, _ := programIn(strings.Fields(part)); program != "" {
			return part
		}
	}
	return command
}

func programIn(fields []string) (program, argument string) {
	carried, redirected := false, false // the latter: the next word is no part of it
	for i, f := range fields {
		if redirected {
			redirected = false
			continue
		}
		redirected = strings.ContainsAny(f, "<>") && strings.Trim(f, "<>0123456789") == "" || carried && (f == "-u" || f == "-g")
		f = strings.Trim(f, `"'`+"`$")
		base := bare(f)
		switch {
		case redirected, program == "" && keywords[f], assignment().MatchString(f), strings.HasPrefix(f, "-"), strings.ContainsAny(f, "<>"):
		case program == "" && carriers[base]:
			carried = true
		case program == "" && carried && carriedWord(f):
		case program == "" && fillers[base]:
			return "", ""
		case interpreters[strings.TrimRight(base, "0123456789.")] && i+1 < len(fields) && program == "":
			carried = false
		case slug(base) == "":
		case program == "":
			program = told(f, base)
		default:
			return program, base
		}
	}
	return program, ""
}

// told is the name of a script, with that of its folder where it says nothing.
func told(f, base string) string {
	folder := path.Base(path.Dir(f))
	if !vague[base] && strings.Trim(base, "0123456789") != "" || slug(folder) == "" || places[folder] {
		return base
	}
	return folder + "-" + base
}

// carriedWord is an argument of a carrier: a number, a duration, a lock.
func carriedWord(f string) bool {
	return strings.Trim(f, "0123456789smhd.") == "" || strings.Contains(f, "lock") || strings.HasPrefix(f, "/var/run") || strings.HasPrefix(f, "/tmp/")
}

// bare is the last part of a path without the ending of a script.
func bare(f string) string {
	f = path.Base(strings.TrimRight(f, "/"))
	for _, ext := range []string{".sh", ".bash", ".py", ".pl", ".rb", ".php", ".js", ".jar"} {
		if s := strings.TrimSuffix(f, ext); s != f && s != "" {
			return s
		}
	}
	return f
}
