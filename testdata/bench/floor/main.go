// Floor does what nothing that reads files can do without, and what robfig's
// parser takes for the same lines.
//
//	floor read FOLDER      reads every file
//	floor robfig FOLDER    reads crontabs and parses the five fields of each line
//
// Both use all cores.
package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/robfig/cron/v3"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: floor read|robfig FOLDER")
		os.Exit(2)
	}
	work := func(data []byte) int { return len(data) }
	if os.Args[1] == "robfig" {
		work = parse
	}
	n, err := each(os.Args[2], work)
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(1)
	}
	fmt.Println(n)
}

// each adds up what work says of every file.
func each(root string, work func([]byte) int) (int64, error) {
	var total atomic.Int64
	var failed atomic.Value
	var wg sync.WaitGroup
	paths := make(chan string, 64)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for p := range paths {
				data, err := os.ReadFile(p)
				if err != nil {
					failed.Store(err)
				}
				total.Add(int64(work(data)))
			}
		})
	}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			paths <- p
		}
		return err
	})
	close(paths)
	wg.Wait()
	if stored, ok := failed.Load().(error); ok && err == nil {
		err = stored
	}
	return total.Load(), err
}

func parse(data []byte) int {
	n := 0
	for line := range bytes.Lines(data) {
		end := fields(line, 5)
		if end < 0 {
			continue
		}
		if _, err := cron.ParseStandard(string(line[:end])); err == nil {
			n++
		}
	}
	return n
}

// fields is where the first n fields of a line end, or -1.
func fields(line []byte, n int) int {
	for i, c := range line {
		if c == ' ' {
			if n--; n == 0 {
				return i
			}
		}
	}
	return -1
}
