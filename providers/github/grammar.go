package github

// scalarKind is what a scalar may be where a form allows one at all.
type scalarKind uint8

const (
	noScalar   scalarKind = iota
	anyText               // also empty, and nothing at all
	filledText            // not empty
	number
	truth
	anything
)

// form is what GitHub's schema allows at one place of a workflow.
type form struct {
	scalar scalarKind
	items  string // the form of a list's items; empty: no list
	keys   map[string]string
	others string // the form of members beside keys; empty: there are none
	open   bool   // members that are not among keys are not judged
	need   []string
	words  []string // the only texts, if there are any
}

func (s form) mapping() bool { return s.keys != nil || s.others != "" }

// forms is that part of GitHub's schema by which a workflow's jobs are judged:
// what the file workflow-v1.0.json of actions/runner (src/Sdk/WorkflowParser,
// 258d6c8) and that of actions/languageservices (4043eda) both refuse. Places at
// which GitHub keeps adding members are open.
var forms = map[string]form{
	"any":    {scalar: anything, items: "any", others: "any"},
	"text":   {scalar: anyText},
	"filled": {scalar: filledText},
	"number": {scalar: number},
	"truth":  {scalar: truth},
	"words":  {scalar: filledText, items: "filled"},
	"list":   {items: "filled"},
	"texts":  {others: "text"},

	"workflow": {keys: map[string]string{
		"on": "any", "true": "any", "name": "text", "run-name": "text", "env": "texts", "defaults": "defaults",
		"permissions": "permissions", "concurrency": "concurrency", "jobs": "jobs"}},
	"jobs": {others: "job"},
	"job": {keys: map[string]string{
		"name": "text", "needs": "words", "if": "job if", "permissions": "permissions", "concurrency": "concurrency", "strategy": "strategy",
		"runs-on": "runs-on", "timeout-minutes": "number", "cancel-timeout-minutes": "number", "continue-on-error": "truth",
		"container": "container", "services": "services", "env": "texts", "environment": "environment", "outputs": "texts",
		"defaults": "defaults", "steps": "steps", "snapshot": "any"}},
	"calling job": {keys: map[string]string{
		"name": "text", "needs": "words", "if": "job if", "permissions": "permissions", "concurrency": "concurrency", "strategy": "strategy",
		"uses": "called", "with": "any", "secrets": "any"}},
	"steps": {items: "step"},
	"run": {keys: map[string]string{
		"name": "text", "id": "filled", "if": "step if", "timeout-minutes": "number", "continue-on-error": "truth", "env": "texts",
		"background": "truth", "run": "text", "shell": "filled", "working-directory": "filled"}},
	"action": {keys: map[string]string{
		"name": "text", "id": "filled", "if": "step if", "timeout-minutes": "number", "continue-on-error": "truth", "env": "texts",
		"background": "truth", "uses": "used", "with": "texts"}},

	"job if": {scalar: anyText}, "step if": {scalar: anyText},
	"called": {scalar: filledText}, "used": {scalar: filledText},
	"runs-on":      {scalar: filledText, items: "filled", open: true, keys: map[string]string{"group": "filled", "labels": "words"}},
	"strategy":     {open: true, keys: map[string]string{"fail-fast": "truth", "max-parallel": "number", "matrix": "matrix"}},
	"matrix":       {keys: map[string]string{"include": "maps", "exclude": "maps"}, others: "axis"},
	"axis":         {items: "any"},
	"maps":         {items: "map"},
	"map":          {others: "any"},
	"concurrency":  {scalar: anyText, open: true, need: []string{"group"}, keys: map[string]string{"group": "filled", "cancel-in-progress": "truth"}},
	"permissions":  {scalar: anyText, words: []string{"read-all", "write-all"}, others: "level"},
	"level":        {scalar: anyText, words: []string{"read", "write", "none"}},
	"defaults":     {open: true, keys: map[string]string{"run": "defaults run"}},
	"defaults run": {open: true, keys: map[string]string{"shell": "filled", "working-directory": "filled"}},
	"environment":  {scalar: anyText, open: true, need: []string{"name"}, keys: map[string]string{"name": "text", "url": "text"}},
	"container":    {scalar: anyText, open: true, keys: map[string]string{"image": "text", "options": "text", "env": "texts", "ports": "list", "volumes": "list", "credentials": "texts"}},
	"services":     {others: "container"},
}

// contexts are the names that a condition may begin with (reference: contexts,
// context availability). GitHub refuses the others, as secrets in any and env
// in a job's.
var contexts = map[string][]string{
	"job if":  {"github", "inputs", "vars", "needs"},
	"step if": {"github", "inputs", "vars", "needs", "strategy", "matrix", "steps", "job", "runner", "env"},
}

// allContexts are those that are known at all. Another name may be one that
// GitHub adds.
var allContexts = []string{"github", "inputs", "vars", "needs", "strategy", "matrix", "steps", "job", "jobs", "runner", "env", "secrets"}

// functions, with lowFunctions in small letters, are those of expressions (ExpressionConstants.cs, and the steps' and
// jobs' own in workflow-v1.0.json), literals the words that are values.
var (
	functions    = []string{"case", "contains", "endsWith", "format", "join", "startsWith", "toJSON", "fromJSON", "hashFiles", "always", "success", "failure", "cancelled"}
	lowFunctions = []string{"case", "contains", "endswith", "format", "join", "startswith", "tojson", "fromjson", "hashfiles", "always", "success", "failure", "cancelled"}
	literals     = []string{"true", "false", "null", "nan", "infinity"}
)

// events are the triggers of both schemas.
var events = []string{
	"branch_protection_rule", "check_run", "check_suite", "create", "delete", "deployment", "deployment_status", "discussion", "discussion_comment",
	"dynamic", "fork", "gollum", "image_version", "interactive_component", "issue_comment", "issues", "label", "member", "merge_group", "milestone",
	"page_build", "project", "project_card", "project_column", "public", "pull_request", "pull_request_comment", "pull_request_review",
	"pull_request_review_comment", "pull_request_target", "push", "registry_package", "release", "repository_dispatch", "schedule", "status",
	"watch", "workflow_call", "workflow_dispatch", "workflow_run",
}

// newSteps are the keys of kinds of steps that this version does not judge.
var newSteps = []string{"wait", "wait-all", "cancel", "parallel"}
