// Command rolecall calls the roll of scheduled jobs.
package main

import (
	"context"
	"os"
	_ "time/tzdata" // zones are known also where the host has no zone database

	"github.com/rolecall-dev/rolecall/cmd/internal/cli"
)

func main() {
	ctx, stop := cli.WithSignals(context.Background())
	code := cli.Main(ctx, os.Args[1:], os.LookupEnv, cli.StdStreams())
	stop()
	os.Exit(code)
}
