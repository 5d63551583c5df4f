package ledger

import (
	"slices"
	"strings"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/strict"
	"github.com/rolecall-dev/rolecall/specs"
)

type evidenceForm struct {
	strict.Place
	Since          strict.Text `strict:"since"`
	MaxRuntime     strict.Text `strict:"max_runtime"`
	SucceedWithin  strict.Text `strict:"succeed_within"`
	ProgressWithin strict.Text `strict:"progress_within"`
	Grace          strict.Text `strict:"grace"`
	Runs           strict.Text `strict:"runs"`
	Executed       witnessForm `strict:"executed"`
	Succeeded      witnessForm `strict:"succeeded"`
	Progressed     witnessForm `strict:"progressed"`
}

// witnessForm is who knows of a stage: a word, or one of the three places.
type witnessForm struct {
	strict.Place
	Word       strict.Text    `strict:",short"`
	Runs       strict.Text    `strict:"runs"`
	Prometheus prometheusForm `strict:"prometheus"`
	File       fileAgeForm    `strict:"file"`
}

type prometheusForm struct {
	strict.Place
	Query strict.Text `strict:"query,required"`
}

type fileAgeForm struct {
	strict.Place
	Path   strict.Text `strict:"path,required"`
	MaxAge strict.Text `strict:"max_age"`
}

type repairForm struct {
	strict.Place
	Missing strict.Text `strict:"missing,required,enum=create|none"`
	User    strict.Text `strict:"user"`
	File    strict.Text `strict:"file"`
}

func (b *builder) repairTerms(role string, f repairForm) specs.RepairTerms {
	if !f.Place.Stated() {
		return specs.RepairTerms{}
	}
	t := specs.RepairTerms{Pos: f.Pos, CreateMissing: f.Missing.Value == "create", User: f.User.Value, File: f.File.Value}
	switch {
	case f.User.Stated() && f.File.Stated():
		b.errs.Add(f.File.Pos, "repair of role %s names a user and a file, and an entry is created in one table; keep one of them", role)
	case f.Missing.Value == "none" && f.User.Stated():
		b.errs.Add(f.User.Pos, "repair of role %s says where to create and that nothing is; say missing: create, or take user out", role)
	case f.Missing.Value == "none" && f.File.Stated():
		b.errs.Add(f.File.Pos, "repair of role %s says where to create and that nothing is; say missing: create, or take file out", role)
	case f.User.Stated() && strings.ContainsAny(t.User, "/*?\x00"):
		b.errs.Add(f.User.Pos, "repair.user of role %s is %s and must be the name of one account; correct it", role, strict.Quote(t.User))
	case f.File.Stated() && (!strings.HasPrefix(t.File, "/") || strings.ContainsAny(t.File, "*?\x00")):
		b.errs.Add(f.File.Pos, "repair.file of role %s is %s and must be the path of one table from / on, like /etc/cron.d/NAME; correct it", role, strict.Quote(t.File))
	}
	return t
}

func (b *builder) evidence(role string, f *evidenceForm) specs.EvidenceTerms {
	if !f.Place.Stated() {
		return specs.EvidenceTerms{}
	}
	t := specs.EvidenceTerms{
		Pos:            f.Pos,
		Since:          b.since(role, f.Since),
		MaxRuntime:     b.duration(role, "evidence.max_runtime", f.MaxRuntime, 1),
		SucceedWithin:  b.duration(role, "evidence.succeed_within", f.SucceedWithin, 1),
		ProgressWithin: b.duration(role, "evidence.progress_within", f.ProgressWithin, 1),
		Grace:          b.duration(role, "evidence.grace", f.Grace, 0),
		Executed:       b.witness(role, "executed", &f.Executed),
		Succeeded:      b.witness(role, "succeeded", &f.Succeeded),
		Progressed:     b.witness(role, "progressed", &f.Progressed),
	}
	if f.Executed.File.Stated() {
		b.errs.Add(f.Executed.File.Pos, "evidence.executed of role %s is a file, and its age says when something was finished, not when it began; take runs or prometheus", role)
	}
	b.path(role, "evidence.runs", f.Runs)
	b.forAll(&t, f.Runs)
	b.effective(role, f, t)
	return t
}

// forAll makes one folder of run records tell of the stages that name nobody.
func (b *builder) forAll(t *specs.EvidenceTerms, runs strict.Text) {
	for _, s := range t.Stages() {
		if runs.Stated() && s.IsZero() {
			*s = specs.EvidenceSource{Pos: runs.Pos, Runs: runs.Value, Shared: true}
		}
	}
}

// effective finds what is stated and would be without effect.
func (b *builder) effective(role string, f *evidenceForm, t specs.EvidenceTerms) {
	if !slices.ContainsFunc(evidenceFields, f.Has) {
		b.errs.Add(f.Pos, "evidence of role %s states nothing; say by when a run must have succeeded (succeed_within: 2h) or who knows of the runs (runs: DIR), or remove it", role)
	}
	if f.ProgressWithin.Stated() && t.Progressed.Place() == "" {
		b.warn(f.ProgressWithin.Pos, "evidence of role %s says progress_within, and nobody tells of its progress; name who does: progressed: {runs: DIR}, {prometheus: {query: TEXT}} or {file: {path: PATH}}", role)
	}
}

var evidenceFields = []string{"since", "max_runtime", "succeed_within", "progress_within", "grace", "runs", "executed", "succeeded", "progressed"}

// since reads a beginning: a day, from its midnight (UTC) on, or an instant.
func (b *builder) since(role string, f strict.Text) time.Time {
	if f.Value == "" {
		return time.Time{}
	}
	if day, err := time.Parse(time.DateOnly, f.Value); err == nil {
		return day
	}
	at, err := specs.ParseInstant(f.Value)
	if err != nil {
		b.errs.Add(f.Pos, "evidence.since of role %s is %s; write a day like 2027-01-10 or an instant like 2027-01-10T09:00:00Z", role, strict.Quote(f.Value))
		return time.Time{}
	}
	return at.UTC()
}

// witness is who knows of a stage. That it is the scheduler (native) is stated by
// the place alone.
func (b *builder) witness(role, stage string, f *witnessForm) specs.EvidenceSource {
	if !f.Place.Stated() {
		return specs.EvidenceSource{}
	}
	name := "evidence." + stage
	out := specs.EvidenceSource{Pos: f.Pos, None: f.Word.Value == "none", Runs: f.Runs.Value, Query: f.Prometheus.Query.Value, File: f.File.Path.Value}
	if w := f.Word.Value; w != "" && w != "none" && w != "native" {
		b.errs.Add(f.Word.Pos, "%s of role %s is %s and must be native, none, {runs: DIR}, {prometheus: {query: TEXT}} or {file: {path: PATH}}%s", name, role, strict.Quote(w), didYouMean(w))
	}
	b.path(role, name+".runs", f.Runs)
	b.path(role, name+".file.path", f.File.Path)
	out.MaxAge = b.duration(role, name+".file.max_age", f.File.MaxAge, 1)
	b.oneWitness(role, name, f)
	return out
}

func didYouMean(word string) string {
	if n := strict.Nearest(word, []string{"native", "none"}); n != "" {
		return "; did you mean `" + n + "`?"
	}
	return ""
}

// oneWitness holds a stage to one who knows of it.
func (b *builder) oneWitness(role, name string, f *witnessForm) {
	first, any := "", false
	for _, way := range []string{"runs", "prometheus", "file"} {
		at, stated := f.Field(way)
		any = any || f.Has(way)
		switch {
		case !stated:
		case first != "":
			b.errs.Add(at, "%s of role %s names %s beside %s; keep one of them", name, role, way, first)
		default:
			first = way
		}
	}
	if !any && !f.Word.Stated() {
		b.errs.Add(f.Pos, "%s of role %s names nobody; write native, none, {runs: DIR}, {prometheus: {query: TEXT}} or {file: {path: PATH}}", name, role)
	}
}

// path refuses what no file system takes. Where a relative one begins, at the
// ledger's folder, is not known here.
func (b *builder) path(role, name string, f strict.Text) {
	if strings.ContainsRune(f.Value, 0) {
		b.errs.Add(f.Pos, "%s of role %s is %s, and no path holds a NUL; correct it", name, role, strict.Quote(f.Value))
	}
}
