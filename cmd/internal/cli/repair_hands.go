package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"time"

	"github.com/rolecall-dev/rolecall/pkg/audit"
	"github.com/rolecall-dev/rolecall/pkg/ledger"
	"github.com/rolecall-dev/rolecall/pkg/repair"
	"github.com/rolecall-dev/rolecall/pkg/report"
	"github.com/rolecall-dev/rolecall/providers"
	"github.com/rolecall-dev/rolecall/specs"
)

// hands are what the plan is carried out with: the audit's look and judge, the
// ledger's file, the log.
func (m *mending) hands(log func(repair.Entry) error) repair.Hands {
	world := m.in.World
	again := m.plan
	again.Progress, again.Witnesses = nil, nil // what they said stands in the world
	return repair.Hands{
		Look: func(ctx context.Context, parts map[string][]string) (report.Report, providers.World, error) {
			again.Now = m.now()
			r, seen, err := audit.Again(ctx, again, world, parts)
			if err == nil {
				world = seen
			}
			return r, seen, err
		},
		Unchanged: m.ledgerUnchanged,
		Remember:  m.remember,
		Log:       log,
		Pause:     pause,
		Clock:     m.now,
		Who:       whoami(),
		Wait:      m.flags.wait,
	}
}

var errLedgerMoved = errors.New("the ledger or a template has changed since it was read; nothing was written; run it again")

// keepLedger reads the ledger's text as the plan was made of it.
func (m *mending) keepLedger() error {
	var err error
	if m.ledger, err = readRegular(os.Stat, os.Open, m.plan.Ledger.Path); err != nil {
		return err
	}
	if s := sha256.Sum256(m.ledger); hex.EncodeToString(s[:]) != m.plan.Ledger.SHA256 {
		return errLedgerMoved
	}
	return nil
}

// ledgerUnchanged says why the ledger or a template is not as it was read. What
// this run or another like it remembers of the roles that are created is no change.
func (m *mending) ledgerUnchanged() error {
	l, _, err := LoadLedger(m.plan.Ledger.Path)
	if err != nil {
		return fmt.Errorf("the ledger cannot be read any more, so nothing was written: %w", err)
	}
	same := slices.EqualFunc(l.Roles, m.plan.Ledger.Roles, func(a, b specs.Role) bool {
		s, t := a.Statement.Template, b.Statement.Template
		return (s == nil) == (t == nil) && (s == nil || bytes.Equal(s.Data, t.Data))
	})
	if same && l.SHA256 != m.plan.Ledger.SHA256 {
		file, err := openForEdit(context.Background(), m.plan.Ledger.Path, true)
		if err != nil {
			return err
		}
		defer file.close()
		same = bytes.Equal(m.forgetful(file, file.data), m.forgetful(file, m.ledger))
	}
	if !same {
		return errLedgerMoved
	}
	return nil
}

// forgetful is a ledger's text with one and the same memory of every role that is
// created or whose memory is renewed.
func (m *mending) forgetful(file *openLedger, text []byte) []byte {
	for _, role := range m.remembered() {
		out, err := ledger.Remember(file.name, text, file.read, role, specs.Remembered{UID: "any", Seen: time.Unix(0, 0)})
		if err != nil {
			continue // then it was not written either
		}
		text = out
	}
	return text
}

// remembered are the roles whose memory this run brings up to date.
func (m *mending) remembered() []string {
	var out []string
	for _, row := range m.made.Rows {
		if row.Action == repair.Create {
			out = append(out, row.Role)
		}
	}
	for _, r := range m.made.Refs {
		out = append(out, r.Role)
	}
	return out
}

// remember writes what was seen of a role into the ledger as it is by now.
func (m *mending) remember(ctx context.Context, role string, seen specs.Remembered) error {
	file, err := openForEdit(ctx, m.plan.Ledger.Path, false)
	if err != nil {
		return err
	}
	defer file.close()
	out, err := ledger.Remember(file.name, file.data, file.read, role, seen)
	if err != nil || bytes.Equal(out, file.data) {
		return err
	}
	return replaceFile(file.name, file.data, out)
}

// whoami is the account and the host, as a log of writes names them.
func whoami() string {
	name := fmt.Sprintf("uid %d", os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return name + "@" + host
}

// writeLog is where the log of writes goes: a file to which lines are only ever
// added, each kept for good before it is gone on, or stderr.
func (m *mending) writeLog() (func(repair.Entry) error, func(), error) {
	var w io.Writer = m.Err
	keep, shut := func() error { return nil }, func() {}
	if m.flags.log != "" {
		f, err := os.OpenFile(m.flags.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("--log: %w; name a file that can be added to", err)
		}
		w, shut = f, func() { f.Close() }
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			keep = f.Sync
		}
	}
	return func(e repair.Entry) error {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
		return keep()
	}, shut, nil
}
