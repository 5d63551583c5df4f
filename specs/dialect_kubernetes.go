package specs

import (
	"strconv"
	"strings"
	"time"
)

const kubernetesWords = "@hourly, @daily, @weekly, @monthly, @yearly, @every 1h30m"

// parseKubernetes reads as robfig/cron v3 ParseStandard does, which the
// CronJob controller has used since Kubernetes 1.22. N/step means from N on;
// ? is *; empty members of a list are skipped. An item makes a star only with
// step 1, so */2 in a day field is a restriction.
func parseKubernetes(text string) (*plan, *refusal) {
	if strings.HasPrefix(text, "@") {
		return kubernetesWord(text)
	}
	fs, n := spaceFields(text)
	if n != 5 {
		return nil, countRefusal(n)
	}
	p := &plan{kind: kindCalendar, second: 1}
	var sets [5]uint64
	var stars [5]bool
	for i := range sets {
		var ok bool
		if sets[i], stars[i], ok = robfigField(&fields[i], fs[i]); !ok {
			return nil, explain(Kubernetes, &fields[i], fs[i])
		}
		if len(fs[i]) > 2 && (strings.Contains(fs[i], "*-") || strings.Contains(fs[i], "?-")) {
			p.warn("%s %.80q: what stands behind the star is dropped without a word, a fault of robfig/cron 3.0.1 (getRange)", fields[i].name, fs[i])
		}
	}
	p.setFields(sets)
	p.either = !stars[fieldDom] && !stars[fieldDow]
	p.warnSixthHour(fs[fieldMinute], fs[fieldHour])
	return p, nil
}

func kubernetesWord(text string) (*plan, *refusal) {
	if s, ok := strings.CutPrefix(text, "@every "); ok {
		every, err := time.ParseDuration(s)
		if err != nil {
			return nil, &refusal{why: "no duration after @every", next: "write it as @every 1h30m"}
		}
		return &plan{kind: kindInterval, every: max(every-every%time.Second, time.Second)}, nil
	}
	p := word(text)
	if p == nil || p.kind == kindReboot {
		return nil, wordRefusal(text, kubernetesWords)
	}
	return p, nil
}

func robfigField(f *field, s string) (set uint64, star, ok bool) {
	for s != "" {
		item, rest, _ := strings.Cut(s, ",")
		s = rest
		if item == "" {
			continue
		}
		span, isStar, ok := robfigItem(f, item)
		if !ok {
			return 0, false, false
		}
		set, star = set|span, star || isStar
	}
	return set, star, true
}

func robfigItem(f *field, item string) (set uint64, star, ok bool) {
	span, stepText, stepped := strings.Cut(item, "/")
	lo, hi, ranged := strings.Cut(span, "-")
	low, high, step := f.low, f.high, 1
	if lo == "*" || lo == "?" {
		star = true // what stands behind the - is not looked at
	} else {
		if low, ok = robfigValue(f, lo); !ok {
			return 0, false, false
		}
		high = low
		if ranged {
			if high, ok = robfigValue(f, hi); !ok {
				return 0, false, false
			}
		}
	}
	if stepped {
		if step, ok = robfigNumber(stepText); !ok || step == 0 {
			return 0, false, false
		}
		if !ranged {
			high = f.high
		}
		star = star && step == 1
	}
	if low < f.low || high > f.high || low > high {
		return 0, false, false
	}
	for v := low; v <= high && v >= low; v += step {
		set |= 1 << uint(v)
	}
	return set, star, true
}

func robfigValue(f *field, s string) (int, bool) {
	if v, ok := f.named(s); ok {
		return v, true
	}
	return robfigNumber(s)
}

// robfigNumber is strconv.Atoi without negative numbers; -0 is 0.
func robfigNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// SplitZonePrefix cuts TZ=zone or CRON_TZ=zone off the front of a kubernetes
// schedule. The API has refused new objects with it since Kubernetes 1.29, but
// the controller still goes by the prefix of an old one, and it beats
// spec.timeZone. A prefix with nothing behind it (TZ=UTC) is ok with an empty
// rest; no program can run that.
func SplitZonePrefix(text string) (zone, rest string, ok bool) {
	if !strings.HasPrefix(text, "TZ=") && !strings.HasPrefix(text, "CRON_TZ=") {
		return "", text, false
	}
	head, rest, _ := strings.Cut(text, " ")
	_, zone, _ = strings.Cut(head, "=")
	return zone, strings.TrimSpace(rest), true
}

// prefixZone is the zone that a prefix names: none is UTC, and Local is that
// of the controller, as time.LoadLocation has it.
func prefixZone(text, zone, rest string) (string, error) {
	if rest == "" && !strings.Contains(text, " ") {
		r := &refusal{why: "nothing stands behind the zone", next: "write the zone in spec.timeZone and five fields in the schedule"}
		return "", r.in(Kubernetes, text)
	}
	switch zone {
	case "":
		return "UTC", nil
	case "Local":
		return Local, nil
	}
	return CanonicalZone(zone)
}
