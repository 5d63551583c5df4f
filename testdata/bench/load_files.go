package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// write makes a file and the folders above it.
func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// once makes a load in a folder of the run, unless it is there from before.
func (b *bench) once(name string, make func(dir string) error) (string, error) {
	dir := filepath.Join(b.dir, name)
	done := dir + ".done"
	if _, err := os.Stat(done); err == nil {
		return dir, nil
	}
	if err := make(dir); err != nil {
		return "", fmt.Errorf("make %s: %w", name, err)
	}
	return dir, write(done, "")
}

const jobManifest = `# Report %[1]d.
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
  schedule: "%[2]d %[3]d * * *"
  timeZone: Europe/Oslo
  concurrencyPolicy: Forbid
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
%[4]s`

const podManifest = `containers:
  - name: main
    image: registry.example/shop/part:1.%[1]d
    command: ["/bin/sh", "-c"]
    args:
      - |
        set -eu
        /opt/shop/part --day yesterday --out /data/part-%[1]d.csv
        exec /opt/shop/upload /data/part-%[1]d.csv
    env:
      - name: LOG_LEVEL
        value: info
      - name: DATABASE_URL
        valueFrom:
          secretKeyRef: {name: part, key: url}
    resources:
      requests: {cpu: 100m, memory: 128Mi}
      limits: {memory: 256Mi}
    volumeMounts:
      - name: data
        mountPath: /data
volumes:
  - name: data
    emptyDir: {}
`

const webManifest = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-%[1]d
  namespace: shop
  labels: {app: web, part-of: shop}
spec:
  replicas: 3
  selector:
    matchLabels: {app: web-%[1]d}
  template:
    metadata:
      labels:
        app: web-%[1]d
    spec:
      serviceAccountName: web
      securityContext: {runAsNonRoot: true, runAsUser: 1000}
%[2]s---
apiVersion: v1
kind: Service
metadata:
  name: web-%[1]d
  namespace: shop
spec:
  selector: {app: web-%[1]d}
  ports:
    - {port: 80, targetPort: 8080}
`

func indent(text, by string) string {
	return by + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+by) + "\n"
}

// manifests are files of which the given share, of 100, are CronJobs; the others
// hold what else a cluster runs.
func (b *bench) manifests(n, share int) (string, error) {
	return b.once(fmt.Sprintf("manifests-%d-%d", n, share), func(dir string) error {
		for i := range n {
			pod := fmt.Sprintf(podManifest, i)
			name, text := "web", fmt.Sprintf(webManifest, i, indent(pod, "      "))
			if (i+1)*share/100 > i*share/100 {
				name, text = "report", fmt.Sprintf(jobManifest, i, i%60, i%24, indent(pod, "          "))
			}
			if err := write(fmt.Sprintf("%s/%03d/%s-%d.yaml", dir, i/100, name, i), text); err != nil {
				return err
			}
		}
		return nil
	})
}

// The jobs of a workflow, of two shapes.
const buildJobs = `permissions:
  contents: read
concurrency:
  group: ${{ github.workflow }}-${{ github.ref }}
  cancel-in-progress: true
env:
  GOFLAGS: -mod=readonly
jobs:
  test:
    name: Test on ${{ matrix.os }}
    runs-on: ${{ matrix.os }}
    timeout-minutes: %[1]d
    strategy:
      fail-fast: false
      matrix:
        os: [ubuntu-latest, macos-latest]
        go: ["1.25", "1.26"]
    steps:
      - name: Check out
        uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - name: Set up Go
        uses: actions/setup-go@v5
        with:
          go-version: ${{ matrix.go }}
          cache: true
      - name: Build
        run: |
          go build ./...
          go vet ./...
      - name: Test
        env:
          LEVEL: info
          TOKEN: ${{ secrets.TOKEN }}
        run: |
          set -eu
          go test -race -count=1 ./part%[1]d/... | tee out.txt
          grep -c PASS out.txt
  upload:
    needs: [test]
    if: ${{ github.ref == 'refs/heads/main' && success() }}
    runs-on: ubuntu-latest
    permissions:
      contents: write
    steps:
      - uses: actions/checkout@v4
      - id: name
        run: echo "name=report-$(date +%%F)" >> "$GITHUB_OUTPUT"
      - uses: actions/upload-artifact@v4
        with:
          name: ${{ steps.name.outputs.name }}
          path: |
            out/*.txt
            dist/**
          retention-days: 7
          if-no-files-found: error
`

const smallJobs = `permissions: {}
jobs:
  close:
    runs-on: ubuntu-latest
    permissions:
      issues: write
    steps:
      - uses: actions/stale@v9
        with:
          days-before-stale: %[1]d
          stale-issue-message: Nothing has happened here for a while.
      - name: Say so
        if: ${{ failure() }}
        run: echo "::error::the sweep failed"
`

func workflowText(i int, scheduled bool) string {
	on := "on:\n  push:\n    branches: [main]\n  pull_request:\n"
	if scheduled {
		on = fmt.Sprintf("on:\n  schedule:\n    - cron: '%d %d * * *'\n  workflow_dispatch:\n", i%60, i%24)
	}
	jobs := buildJobs
	if i%3 == 0 {
		jobs = smallJobs
	}
	return fmt.Sprintf("# rolecall: role=part-%[1]d\nname: Part %[1]d\n", i) + on + fmt.Sprintf(jobs, 1+i%50)
}

// workflows are those of a checkout, of which every so many is scheduled.
func (b *bench) workflows(n, every int) (string, error) {
	return b.once(fmt.Sprintf("workflows-%d-%d", n, every), func(dir string) error {
		for i := range n {
			if err := write(fmt.Sprintf("%s/.github/workflows/part-%d.yml", dir, i), workflowText(i, i%every == 0)); err != nil {
				return err
			}
		}
		return nil
	})
}

// tableLines is how many entries a table gets: with their markers no more lines than
// the 10,003 that Debian's cron takes.
const tableLines = 9_000

// crontabs are tables with entries of many schedules and commands.
func (b *bench) crontabs(n int) (string, error) {
	return b.once(fmt.Sprintf("crontabs-%d", n), func(dir string) error {
		for table := range (n + tableLines - 1) / tableLines {
			var text strings.Builder
			text.WriteString("SHELL=/bin/sh\nMAILTO=\"\"\n")
			for i := table * tableLines; i < min(n, (table+1)*tableLines); i++ {
				text.WriteString(entry(i))
			}
			if err := write(fmt.Sprintf("%s/user-%03d", dir, table), text.String()); err != nil {
				return err
			}
		}
		return nil
	})
}

// entry is one line, of shapes that people write. One in 24 has a marker.
func entry(i int) string {
	command := fmt.Sprintf("/opt/jobs/run --tenant %d --log-level info > /dev/null 2>&1\n", i)
	m, h := i%60, i/60%24
	switch i % 8 {
	case 0, 1, 2:
		marker := ""
		if i%24 == 0 {
			marker = fmt.Sprintf("# rolecall: role=tenant-%d version=2\n", i)
		}
		return fmt.Sprintf("%s%d %d * * * %s", marker, m, h, command)
	case 3:
		return fmt.Sprintf("%d %d * * %d %s", m, h, i/8%7, command)
	case 4:
		return fmt.Sprintf("*/%d * * * * %s", []int{5, 10, 15, 20, 30}[i/8%5], command)
	case 5:
		return fmt.Sprintf("%d %d %d * * %s", m, h, 1+i/8%28, command)
	case 6:
		return fmt.Sprintf("%d %d * * 1-5 %s", m, h, command)
	}
	return fmt.Sprintf("%d,%d %d-%d * * * %s", m/2, 30+m/2, h/2, 12+h/2, command)
}

// ledger has a role for each CronJob of load_cronjobs.go.
func (b *bench) ledger(n int) (string, error) {
	return b.once(fmt.Sprintf("ledger-%d", n), func(dir string) error {
		var text strings.Builder
		text.WriteString("ledger: rolecall/v1\nname: bench\nroles:\n")
		for i := range n {
			fmt.Fprintf(&text, `  role-%05[1]d:
    owner: team-%03[2]d-oncall
    purpose: Keeps the records of shard %[1]d in step with the warehouse, and says how far it came.
    source: prod
    version: "1"
    match: {namespace: team-%03[2]d, name: job-%05[1]d}
    spec:
      schedule: "%[3]s"
      concurrency_policy: Forbid
    evidence: {max_runtime: 30m}
`, i, i%namespaces, everyMinute(i))
		}
		return write(filepath.Join(dir, "ledger.yaml"), text.String())
	})
}
