package kubernetes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rolecall-dev/rolecall/providers"
)

// usual is a CronJob of the size that people write.
func usual(i int) string {
	return fmt.Sprintf(`# Report %[1]d.
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report-%[1]d
  namespace: shop
  labels: {app: report, part-of: shop}
  annotations:
    rolecall/role: report-%[1]d
    rolecall/version: "1"
spec:
  schedule: "%[2]d 3 * * *"
  timeZone: Europe/Oslo
  concurrencyPolicy: Forbid
  successfulJobsHistoryLimit: 1
  jobTemplate:
    spec:
      backoffLimit: 2
      template:
        metadata:
          labels:
            app: report
        spec:
          restartPolicy: Never
          serviceAccountName: report
          securityContext: {runAsNonRoot: true, runAsUser: 1000}
          containers:
            - name: main
              image: registry.example/shop/report:1.%[1]d
              command: ["/bin/sh", "-c"]
              args:
                - |
                  set -eu
                  /opt/report --day yesterday --out /data/report.csv
                  /opt/upload /data/report.csv
              env:
                - name: LOG_LEVEL
                  value: info
                - name: DATABASE_URL
                  valueFrom:
                    secretKeyRef: {name: report, key: url}
              resources:
                requests: {cpu: 100m, memory: 128Mi}
                limits: {memory: 256Mi}
              volumeMounts:
                - name: data
                  mountPath: /data
          volumes:
            - name: data
              emptyDir: {}
`, i, i%60)
}

// unrelated is as long and no CronJob.
func unrelated(i int) string {
	s := strings.Replace(usual(i), "kind: CronJob", "kind: Deployment", 1)
	return strings.Replace(s, "batch/v1", "apps/v1", 1)
}

// BenchmarkManifests looks at 10,000 files, half of them CronJobs.
func BenchmarkManifests(b *testing.B) {
	base := b.TempDir()
	for i := range 5000 {
		for name, text := range map[string]string{"job": usual(i), "web": unrelated(i)} {
			dir := filepath.Join(base, fmt.Sprintf("%03d", i/50))
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d.yaml", name, i)), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	m, err := NewManifests(ManifestConfig{Source: "s", Base: base, Patterns: []string{"."}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if o := m.Observe(context.Background(), providers.Selection{}); len(o.Objects) != 5000 || len(o.Areas) != 10000 {
			b.Fatalf("%d objects, %d areas", len(o.Objects), len(o.Areas))
		}
	}
}

// BenchmarkDump looks at one list of 5,000 CronJobs.
func BenchmarkDump(b *testing.B) {
	var dump strings.Builder
	dump.WriteString("apiVersion: v1\nkind: List\nitems:\n")
	for i := range 5000 {
		text := strings.TrimSpace(usual(i)[strings.Index(usual(i), "\n")+1:])
		dump.WriteString("- " + strings.ReplaceAll(text, "\n", "\n  ") + "\n")
	}
	data := []byte(dump.String())
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if r := readManifest(data); len(r.found) != 5000 {
			b.Fatalf("%d found, %v", len(r.found), r.troubles)
		}
	}
}

func BenchmarkSpecOf(b *testing.B) {
	cj := readManifest([]byte(usual(7))).found[0].cronJob
	b.ReportAllocs()
	for b.Loop() {
		spec, _ := specOf(cj, true)
		spec.Hash()
	}
}
