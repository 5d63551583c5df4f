package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rolecall-dev/rolecall/pkg/render"
)

// output is one -o FORMAT[=FILE]; without a file it is the standard output.
type output struct {
	format string
	file   string
}

// parseOutputs reads the values of -o. Only one format may go to the standard
// output, and no two to one file.
func parseOutputs(values, formats []string, otherwise string) ([]output, error) {
	if len(values) == 0 {
		values = []string{otherwise}
	}
	var out []output
	for _, v := range values {
		format, file, toFile := strings.Cut(v, "=")
		if file == "-" {
			file, toFile = "", false
		}
		if !slices.Contains(formats, format) {
			return nil, usage(fmt.Errorf("-o %s: no such format here; take one of %s", format, strings.Join(formats, ", ")))
		}
		if toFile && file == "" {
			return nil, usage(fmt.Errorf("-o %s: no file stands after the equals sign", v))
		}
		if slices.ContainsFunc(out, func(o output) bool { return o.file == file }) {
			if file == "" {
				return nil, usage(errors.New("only one format can go to the standard output; give the others a file: -o FORMAT=FILE"))
			}
			return nil, usage(fmt.Errorf("-o: two formats would go to the file %s", file))
		}
		out = append(out, output{format, file})
	}
	return out, nil
}

// write makes each output whole in memory and then puts all of them in place: a
// file appears under its name only when it is complete. JSON is written so that
// it can be shown on a terminal too.
func (a *app) write(outputs []output, show func(format string, w io.Writer) error) error {
	whole := make([]pile, len(outputs))
	for i, o := range outputs {
		if err := show(o.format, &whole[i]); err != nil {
			return internal(fmt.Errorf("writing %s: %w", o.format, err))
		}
		if o.format == "json" {
			whole[i] = pile{render.JSON(slices.Concat(whole[i]...))}
		}
	}
	for i, o := range outputs {
		if err := a.put(o.file, whole[i]); err != nil {
			return internal(err)
		}
	}
	return nil
}

// put writes to a file, or to the standard output if none is named.
func (a *app) put(file string, data pile) error {
	if file != "" {
		return writeFile(file, data)
	}
	if err := data.writeTo(a.Out); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// pile is data in pieces, so that what is long is not copied while it grows.
type pile [][]byte

const (
	leastPiece = 4 << 10
	mostPiece  = 1 << 20
)

func (p *pile) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		top := len(*p) - 1
		if top < 0 || len((*p)[top]) == cap((*p)[top]) {
			size := leastPiece
			if top >= 0 {
				size = min(2*cap((*p)[top]), mostPiece)
			}
			*p = append(*p, make([]byte, 0, size))
			top++
		}
		piece := &(*p)[top]
		n := min(len(rest), cap(*piece)-len(*piece))
		*piece, rest = append(*piece, rest[:n]...), rest[n:]
	}
	return len(data), nil
}

func (p pile) writeTo(w io.Writer) error {
	for _, piece := range p {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

// writeFile replaces a file in one step, or leaves it as it was. A link is
// followed, a mode is kept, and what is no regular file (a device, a pipe) is
// written to and never replaced.
func writeFile(name string, data pile) error {
	return writeChecked(name, data, func() error { return nil })
}

// writeChecked is writeFile that asks once more at the last moment, before a
// regular file is replaced.
func writeChecked(name string, data pile, ready func() error) error {
	mode := os.FileMode(0o644)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder; name a file in it", name)
	case err == nil && !info.Mode().IsRegular():
		return writeThrough(name, data)
	case err == nil:
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		if path := (*os.PathError)(nil); errors.As(err, &path) {
			err = path.Err // that of a name which nobody gave
		}
		return fmt.Errorf("%s: %w; name a file in a folder that can be written to", name, err)
	}
	defer os.Remove(tmp.Name())
	werr := data.writeTo(tmp)
	merr := tmp.Chmod(mode)
	serr := tmp.Sync()
	cerr := tmp.Close()
	if err := errors.Join(werr, merr, serr, cerr); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := ready(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

func writeThrough(name string, data pile) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(data.writeTo(f), f.Close())
}
