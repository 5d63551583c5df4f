module github.com/rolecall-dev/rolecall/specs/dialecttest

go 1.26.5

require (
	github.com/adhocore/gronx v1.20.4
	github.com/aptible/supercronic v0.2.48
	github.com/gorhill/cronexpr v0.0.0-20180427100037-88b0669f7d75
	github.com/hashicorp/cronexpr v1.1.3
	github.com/netresearch/go-cron v0.9.1
	github.com/rhysd/actionlint v1.7.12
	github.com/robfig/cron v1.1.0
	github.com/robfig/cron/v3 v3.0.1
	github.com/rolecall-dev/rolecall v0.0.0
	github.com/sirupsen/logrus v1.9.4
)

require (
	github.com/bmatcuk/doublestar/v4 v4.10.4 // indirect
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/fatih/color v1.19.0 // indirect
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	github.com/mattn/go-runewidth v0.0.21 // indirect
	github.com/mattn/go-shellwords v1.0.12 // indirect
	go.yaml.in/yaml/v4 v4.0.0-rc.3 // indirect
	golang.org/x/sync v0.21.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/rolecall-dev/rolecall => ../..
