package github

import (
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs"
)

// needJobs looks for what no workflow can do without: at least one job, and in
// each a runner or a workflow to call. GitHub takes a file without these as
// little as one that is no YAML (workflow syntax reference, jobs.<job_id>.runs-on
// and jobs.<job_id>.uses).
func (r *reader) needJobs(top []pair) error {
	if len(r.w.entries) == 0 || r.w.refused != "" {
		return nil
	}
	p := find(top, "jobs")
	if p == nil {
		r.w.refused = "it has no jobs"
		return nil
	}
	jobs, err := r.members(p.node, 1)
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		r.w.refused = fmt.Sprintf("line %d: jobs holds no job", p.at)
	}
	for _, job := range jobs {
		keys, err := r.members(job.node, 2)
		if err != nil {
			return err
		}
		if !stated(keys, "runs-on") && !stated(keys, "uses") {
			r.w.refused = fmt.Sprintf("line %d: the job %q has neither runs-on nor uses", job.at, short(job.name))
			return nil
		}
	}
	return nil
}

// members are the pairs of a mapping; anything else has none.
func (t *tree) members(n *yaml.Node, depth int) ([]pair, error) {
	n, err := t.take(n, depth)
	if err != nil || n.Kind != yaml.MappingNode {
		return nil, err
	}
	return t.pairs(n, depth)
}

// stated says that a mapping has a key, and not with nothing behind it.
func stated(ps []pair, name string) bool {
	p := find(ps, name)
	return p != nil && (p.node.Kind != yaml.ScalarNode || scalar(p.node).Kind != specs.Null)
}
