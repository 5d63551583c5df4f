package redact

import (
	"regexp"
	"strings"
	"sync"
)

// harmless are the environment variables whose values are shown: those that
// cron daemons, anacron and login shells know.
var harmless = map[string]bool{
	"SHELL": true, "PATH": true, "HOME": true, "PWD": true, "LANG": true, "LANGUAGE": true,
	"TZ": true, "CRON_TZ": true, "MAILTO": true, "MAILFROM": true, "CONTENT_TYPE": true,
	"CONTENT_TRANSFER_ENCODING": true, "LOGNAME": true, "USER": true, "HOSTNAME": true, "TERM": true,
	"EDITOR": true, "TMPDIR": true, "BASH_ENV": true, "RANDOM_DELAY": true, "START_HOURS_RANGE": true,
	"PYTHONPATH": true, "LD_LIBRARY_PATH": true, "JAVA_HOME": true,
}

// plainValue is a value that cannot be worth hiding: a truth value, a level, a
// number of few digits, an amount with its unit.
var plainValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:true|false|yes|no|on|off|none|null|debug|info|warn|warning|error|[+-]?\d{1,5}(?:\.\d{1,3})?(?:ms|s|m|h|d|k|mi?|gi?|ki?|%)?)$`)
})

// EnvValue masks the value of an environment variable: all of it, unless the
// variable or the value is known to be harmless. An empty value is kept, since
// that it is empty may be the fault that is looked for.
func EnvValue(name, value string) string {
	switch {
	case value == "" || value == Mask:
		return value
	case harmless[name] || strings.HasPrefix(name, "LC_"):
		return Text(value)
	case !sensitive(name) && plainValue().MatchString(value), reference(value):
		return value
	}
	return Mask
}
