package classify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/classify"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// many is a fleet of roles in one cluster, each with a match and its object; of
// each part of ten thousand that many objects are not as the ledger states.
func many(b *testing.B, n, drifted int) classify.Input {
	in := classify.Input{
		Now: time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC), Mask: func(s string) string { return s },
		Rules: map[string]classify.Rule{"prod": {Live: true}}, Desired: map[specs.Ref]specs.Desired{},
	}
	origin := &providers.Origin{Source: "prod", Provider: "kubernetes", Part: "cluster"}
	obs := providers.Observation{Source: "prod", Provider: "kubernetes", Areas: []providers.Area{{Part: "cluster", State: providers.Read}}}
	runtime := 30 * time.Minute
	for i := range n {
		parse := func(text string) specs.Schedule {
			s, err := specs.ParseSchedule(specs.Kubernetes, text, "")
			if err != nil {
				b.Fatal(err)
			}
			return s
		}
		name, space := fmt.Sprintf("job-%05d", i), fmt.Sprintf("team-%03d", i%100)
		policy := "Forbid"
		if i%10_000 < drifted {
			policy = "Allow"
		}
		body := specs.Pack(specs.NewMap(
			specs.Member{Key: "concurrencyPolicy", Value: specs.NewText("Forbid")},
			specs.Member{Key: "jobTemplate", Value: specs.NewMap(specs.Member{Key: "spec", Value: specs.NewMap(specs.Member{Key: "image", Value: specs.NewText("registry.example/" + name)})})},
		))
		schedule := parse(fmt.Sprintf("%d %d * * *", i%60, i/60%24))
		created := in.Now.Add(-1000 * time.Hour)
		obs.Objects = append(obs.Objects, providers.Object{
			ID: "kubernetes:prod/" + space + "/" + name, Origin: origin, Attrs: providers.AttrsOf(map[string]string{"name": name, "namespace": space, "schedule": schedule.Text}),
			Spec: specs.Spec{Schedules: []specs.Schedule{schedule}, Body: body},
			More: &providers.More{UID: name, Created: created, Runs: &providers.Evidence{
				Since: created, Executed: providers.Trace{State: providers.Known, Last: in.Now.Add(-time.Hour), From: "status.lastScheduleTime"},
				Succeeded: providers.Trace{State: providers.Known, Last: in.Now.Add(-time.Hour), From: "status.lastSuccessfulTime"},
			}},
		})
		role := specs.Role{
			Key: fmt.Sprintf("role-%05d", i), Owner: space + "-oncall", Purpose: "Keeps the records of a shard in step with the warehouse.", Sources: []string{"prod"}, Version: "1",
			Pos: specs.Pos{File: "ledger.yaml", Line: 10 * i}, Match: specs.Match{Keys: map[string]string{"namespace": space, "name": name}}, Evidence: specs.EvidenceTerms{MaxRuntime: &runtime},
		}
		in.Ledger.Roles = append(in.Ledger.Roles, role)
		ref := specs.Ref{Role: role.Key, Source: "prod"}
		in.Desired[ref] = specs.Desired{
			Ref: ref, Stated: []string{"concurrencyPolicy"},
			Spec: specs.Spec{Schedules: []specs.Schedule{schedule}, Body: specs.Pack(specs.NewMap(specs.Member{Key: "concurrencyPolicy", Value: specs.NewText(policy)}))},
		}
	}
	in.Ledger = ledger.Ledger{Path: "ledger.yaml", Roles: in.Ledger.Roles}
	in.World.Observations = []providers.Observation{obs}
	return in
}

// BenchmarkMoved: every role is missing, and stands in another source.
func BenchmarkMoved(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			in := many(b, n, 0)
			for i := range in.World.Observations[0].Objects {
				in.World.Observations[0].Objects[i].Origin = &providers.Origin{Source: "other", Provider: "kubernetes", Part: "cluster"}
			}
			other := in.World.Observations[0]
			other.Source = "other"
			in.World.Observations[0].Objects = nil
			in.World.Observations = append(in.World.Observations, other)
			in.Rules["other"] = classify.Rule{Live: true}
			for ref, d := range in.Desired { // by a template
				d.Stated, d.Spec.Body = nil, other.Objects[len(in.Ledger.Waivers)].Spec.Body
				in.Desired[ref] = d
				in.Ledger.Waivers = append(in.Ledger.Waivers, ledger.Waiver{Finding: "missing:" + ref.String(), Until: in.Now.Add(time.Hour)})
			}
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				if got := len(classify.Judge(in).Findings); got != n {
					b.Fatalf("%d findings", got)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/role")
		})
	}
}

func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		for name, drifted := range map[string]int{"clean": 0, "drifted": 10_000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				in := many(b, n, drifted)
				b.ReportAllocs()
				b.ResetTimer()
				for b.Loop() {
					if got := len(classify.Judge(in).Findings); got != n*drifted/10_000 {
						b.Fatalf("%d findings", got)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/role")
			})
		}
	}
}
