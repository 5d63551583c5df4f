package kubernetes

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/rolecall-dev/rolecall/specs"
)

// envValue is a container's environment by name. The kubelet expands $(NAME) in
// a value from the variables that stand before it, and of two variables with
// one name the later holds. So a variable names those before it to which it
// refers, as after, and the order of the others has no effect.
func envValue(env []corev1.EnvVar) specs.Value {
	members := make([]specs.Member, 0, len(env))
	if !slices.ContainsFunc(env, func(e corev1.EnvVar) bool { return strings.Contains(e.Value, "$(") }) {
		for _, e := range env { // none refers to another: only that the later holds
			members = append(members, specs.Member{Key: e.Name, Value: variableValue(e, nil)})
		}
		return specs.NewKeyed(members...)
	}
	at := make(map[string]int, len(env))
	used := make(map[string]bool)
	for _, e := range env {
		after := definedBefore(e.Value, at)
		for _, name := range after {
			used[name] = true
		}
		value := variableValue(e, after)
		if i, again := at[e.Name]; again {
			if used[e.Name] {
				return orderedEnv(env)
			}
			members[i].Value = value
			continue
		}
		at[e.Name] = len(members)
		members = append(members, specs.Member{Key: e.Name, Value: value})
	}
	return specs.NewKeyed(members...)
}

// orderedEnv is the environment as it stands, where a variable that something
// refers to is defined again.
func orderedEnv(env []corev1.EnvVar) specs.Value {
	items := make([]specs.Value, len(env))
	for i, e := range env {
		items[i] = with(variableValue(e, nil), "name", specs.NewText(e.Name))
	}
	return specs.NewList(items...)
}

func variableValue(e corev1.EnvVar, after []string) specs.Value {
	if e.ValueFrom == nil && len(after) == 0 && e.Value != "" {
		return mapOf([]specs.Member{{Key: "value", Value: envText(e.Name, e.Value)}})
	}
	var members []specs.Member
	if e.Value != "" {
		members = append(members, specs.Member{Key: "value", Value: envText(e.Name, e.Value)})
	}
	if e.ValueFrom != nil {
		members = append(members, specs.Member{Key: "valueFrom", Value: structValue(reflect.ValueOf(*e.ValueFrom))})
	}
	if len(after) > 0 {
		items := make([]specs.Value, len(after))
		for i, name := range after {
			items[i] = specs.NewText(name)
		}
		members = append(members, specs.Member{Key: "after", Value: specs.NewList(items...)})
	}
	return specs.NewMap(members...)
}

// definedBefore are the variables to which a value refers and which are
// defined already, sorted.
func definedBefore(value string, at map[string]int) []string {
	var out []string
	for _, name := range references(value) {
		if _, ok := at[name]; ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// references are the NAMEs in $(NAME); $$ stands for a dollar sign.
func references(value string) []string {
	var out []string
	for {
		_, rest, found := strings.Cut(value, "$")
		if !found || rest == "" {
			return out
		}
		value = rest[1:]
		if rest[0] != '(' {
			if rest[0] != '$' {
				value = rest
			}
			continue
		}
		name, tail, closed := strings.Cut(value, ")")
		if closed {
			out = append(out, name)
			value = tail
		}
	}
}

// envText is the value of a variable, masked unless it is known to be
// harmless.
func envText(name, value string) specs.Value {
	if harmless(value) && !secretName(name) {
		return specs.NewText(value)
	}
	return specs.NewSecret(value)
}

// harmlessWords are values of which no one makes a secret.
var harmlessWords = []string{
	"true", "false", "yes", "no", "on", "off", "enabled", "disabled", "none", "null", "default", "auto",
	"trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "panic", "critical",
	"production", "prod", "staging", "stage", "development", "dev", "test", "testing", "local",
	"json", "text", "logfmt", "yaml", "utc", "etc/utc", "c", "c.utf-8", "en_us.utf-8", "utf-8",
}

// longestHarmless is the length of the longest of them.
const longestHarmless = len("development")

// harmless says that a value is a truth value, a short number, a log level or
// another such word.
func harmless(value string) bool {
	if slices.Contains(harmlessWords, strings.ToLower(value)) {
		return true
	}
	number := strings.Trim(value, "0123456789")
	return len(value) <= 6 && (number == "" || number == "." || number == "-")
}

// secretWords in a variable's name say that even a number may be a secret.
var secretWords = []string{"PASS", "PWD", "SECRET", "TOKEN", "KEY", "PIN", "CRED", "AUTH", "SALT", "OTP"}

func secretName(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc(secretWords, func(w string) bool { return strings.Contains(upper, w) })
}
