//go:build !unix

package cli

import (
	"context"
	"os"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

func catchStops(context.Context) (<-chan runs.Signal, func()) { return nil, func() {} }

func isTerminal(*os.File) bool { return false }
