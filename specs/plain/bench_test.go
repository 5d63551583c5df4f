package plain_test

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/rolecall-dev/rolecall/specs/plain"
)

const workflow = `name: Nightly build
on:
  schedule:
    - cron: "30 5 * * 1-5" # before the office opens
  workflow_dispatch:
permissions: {contents: read}
jobs:
  build:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest, macos-latest]
        go: ["1.25", "1.26"]
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: |
          go vet ./...
          go test -race ./...
        env:
          TOKEN: ${{ secrets.TOKEN }}
      - name: Report
        if: failure()
        run: ./report.sh --all
`

func BenchmarkYAML(b *testing.B) {
	b.SetBytes(int64(len(workflow)))
	b.ReportAllocs()
	for b.Loop() {
		var doc yaml.Node
		if err := yaml.NewDecoder(strings.NewReader(workflow)).Decode(&doc); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTree(b *testing.B) {
	b.SetBytes(int64(len(workflow)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := plain.Tree(workflow); !ok {
			b.Fatal("refused")
		}
	}
}

func BenchmarkRead(b *testing.B) {
	b.SetBytes(int64(len(workflow)))
	b.ReportAllocs()
	var doc plain.Doc
	for b.Loop() {
		var ok bool
		if doc, ok = plain.Read(workflow, doc); !ok {
			b.Fatal("refused")
		}
	}
}
