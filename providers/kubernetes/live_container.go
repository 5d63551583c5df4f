package kubernetes

import (
	"bytes"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// unit is a container: its name, that of the one before it where it runs after
// that, and what it is.
type unit struct {
	name, after, data []byte
}

// containers write a list of containers by name.
func (s *spine) containers(key string, list [][]byte) bool {
	var few [4]unit
	units := few[:0]
	var before []byte
	for _, data := range list {
		u := unit{name: nameIn(data), data: data}
		if key == "initContainers" {
			u.after = before
		}
		at, again := slices.BinarySearchFunc(units, u.name, func(known unit, name []byte) int { return bytes.Compare(known.name, name) })
		if again || !isPlain(u.name) {
			return false
		}
		units, before = slices.Insert(units, at, u), u.name
	}
	s.out.Open(key, specs.Map, true)
	for _, u := range units {
		if !s.container(u, len(list) > 1 && key == "containers") {
			return false
		}
	}
	s.out.Close()
	return true
}

// nameIn is the name of a container; nil if it has none.
func nameIn(data []byte) []byte {
	at, ok := cutBefore(data, containerName)
	if !ok || at == len(data) {
		return nil
	}
	f, _ := fieldIn(data[at:])
	return f.content
}

// isPlain says that a name is in ASCII, so that names have the order of their
// bytes, and is there.
func isPlain(name []byte) bool {
	for _, c := range name {
		if c >= 0x80 {
			return false
		}
	}
	return len(name) > 0
}

// container writes one container. Where it is one of several, they may have to
// wait for each other's hooks.
func (s *spine) container(u unit, several bool) bool {
	var name, image, pull []byte
	var fewCommand, fewArgs [8][]byte
	command, args := fewCommand[:0], fewArgs[:0]
	env := s.left[2][:0]
	left, ok := takeFields(u.data, s.left[3][:0], func(f wireField) taken {
		switch f.number {
		case containerName:
			return f.once(&name)
		case containerImage:
			return f.once(&image)
		case containerPull:
			return f.once(&pull)
		}
		switch {
		case f.number == containerCommand && f.sized:
			command = append(command, f.content)
		case f.number == containerArgs && f.sized:
			args = append(args, f.content)
		case f.number == containerEnv && f.sized:
			env = append(env, f.whole...)
		default:
			return leave
		}
		return took
	})
	s.left[2], s.left[3] = env, left
	if !ok {
		return false
	}
	rest := s.ofContainer.of(left, containerPart)
	if !rest.alone || several && slices.ContainsFunc(rest.members, func(m packedMember) bool { return m.name == "lifecycle" }) {
		return false
	}
	s.out.Open(string(u.name), specs.Map, false)
	if u.after != nil {
		s.out.Text([]byte("after"), u.after, false)
	}
	more := s.upTo(rest.members, "args")
	s.texts("args", args)
	more = s.upTo(more, "command")
	s.texts("command", command)
	more = s.upTo(more, "env")
	if !s.environment(env) {
		return false
	}
	more = s.upTo(more, "image")
	if len(image) > 0 {
		s.out.Text([]byte("image"), image, false)
	}
	if len(pull) > 0 && string(pull) != string(s.policy(image)) {
		s.out.Text([]byte("imagePullPolicy"), pull, false)
	}
	s.all(more)
	s.out.Close()
	return true
}

// policy is pullPolicy.
func (s *spine) policy(image []byte) corev1.PullPolicy {
	if known, ok := s.policies[string(image)]; ok {
		return known
	}
	policy := pullPolicy(string(image))
	if len(s.policies) < mostParts {
		s.policies[string(image)] = policy
	}
	return policy
}

func (s *spine) texts(key string, list [][]byte) {
	if len(list) == 0 {
		return
	}
	s.out.Open(key, specs.List, false)
	for _, text := range list {
		s.out.Text(nil, text, false)
	}
	s.out.Close()
}

// variable is one of a container's environment: its value, or where that comes
// from.
type variable struct {
	name, value []byte
	source      *part[corev1.EnvVar]
}

// environment writes the variables, which stand one after the other.
func (s *spine) environment(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	s.env = s.env[:0]
	for rest := data; len(rest) > 0; {
		f, ok := fieldIn(rest)
		if !ok {
			return false
		}
		v, ok := s.variable(f.content)
		if !ok {
			return s.wholeEnvironment(data)
		}
		at, again := slices.BinarySearchFunc(s.env, v.name, func(known variable, name []byte) int { return bytes.Compare(known.name, name) })
		if again {
			return s.wholeEnvironment(data)
		}
		s.env, rest = slices.Insert(s.env, at, v), f.rest
	}
	s.out.Open("env", specs.Map, true)
	for _, v := range s.env {
		s.out.Open(string(v.name), specs.Map, false)
		if len(v.value) > 0 {
			s.out.Text([]byte("value"), v.value, mayBeSecret(v.name, v.value))
		}
		if v.source != nil {
			s.all(v.source.members)
		}
		s.out.Close()
	}
	s.out.Close()
	return true
}

// variable reads one variable. One that refers to others, or whose name has its
// place by another order, is left to wholeEnvironment.
func (s *spine) variable(data []byte) (variable, bool) {
	var v variable
	var from, source []byte
	_, ok := takeFields(data, nil, func(f wireField) taken {
		switch f.number {
		case envName:
			return f.once(&v.name)
		case envPlain:
			return f.once(&v.value)
		case envSource:
			from = f.whole
			return f.once(&source)
		}
		return giveUp
	})
	if !ok || !isPlain(v.name) || bytes.Contains(v.value, []byte("$(")) {
		return v, false
	}
	if from != nil {
		v.source = s.ofSource.of(from, sourcePart)
		return v, v.source.alone
	}
	return v, true
}

// wholeEnvironment writes the variables by envValue.
func (s *spine) wholeEnvironment(data []byte) bool {
	var c corev1.Container
	if c.Unmarshal(data) != nil {
		return false
	}
	dropDivisors(c.Env)
	s.out.Add("env", envValue(c.Env))
	return true
}

// mayBeSecret says what envText does.
func mayBeSecret(name, value []byte) bool {
	return len(value) > longestHarmless || envText(string(name), string(value)).Secret
}
