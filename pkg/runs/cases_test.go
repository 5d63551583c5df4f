package runs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cases are the fault cases that runs must stand, and the tests that show each:
// in memory (logic, at every step), and with real processes (Real) where an
// operating system has a part in it. A missing one is seen here.
var cases = []struct {
	what  string
	tests string
}{
	{"1 the wrapper is killed while its job runs", "TestOwnerLostWithOrphans TestRealOwnerKilled"},
	{"2 the wrapper is killed, the job is gone", "TestOwnerLost TestRealOwnerKilledAfterJob"},
	{"3 the wrapper is killed at each step, and recovery too", "TestKilledAtEveryStep TestRealKilledAtEveryStep"},
	{"4 the job is killed, its child lives", "TestRealJobKilled"},
	{"5 the job leaves a child behind and says 0", "TestRealLeftBehind"},
	{"6 stopped, the job traps and says 0", "TestStoppedJobSaysZero TestRealStopped"},
	{"7 stopped, the job ignores it", "TestStoppedJobIgnores TestRealStubborn"},
	{"8 stopped twice; INT, then TERM", "TestStoppedTwice TestStoppedByInterruptAlone TestRealStubborn"},
	{"9 the whole group is stopped", "TestRealStopped"},
	{"10 stopped within the commit", "TestStopAtEveryStepOfTheEnd TestRealStopInCommit"},
	{"11 the commit hangs", "TestCommitHangs"},
	{"12 stopped between exit 0 and the gate", "TestStopAtEveryStepOfTheEnd TestRealStopInCommit"},
	{"13 a late success", "TestGatewayLateResult TestRealFrozen TestNoticeOfLate"},
	{"14 a late interrupt", "TestDrainAgainstFinish TestRealDrainAgainstFinish"},
	{"15 two wrappers of one role", "TestDoubleStart TestRealDoubleStart"},
	{"16 the same key twice", "TestSameKey TestCompletionBeforeItsInstant"},
	{"17 a drain during a start", "TestDrainDuringStart TestRealDrainDuringStart"},
	{"18 inside, at and after the grace; none", "TestDrainGrace TestDrainGraces TestGatewayDrainedInTime TestGatewayLeftToTheDeadline"},
	{"19 the drain is killed", "TestDrainKilled TestRealDrainKilled"},
	{"20 two drains", "TestTwoDrains"},
	{"21 stale, malformed and future marks", "TestDrainMarks"},
	{"22 one of several cannot be marked", "TestOneCannotBeMarked"},
	{"23 what a drain cannot read", "TestDrainCannotRead TestDrainCountsCorrupt"},
	{"24 the disk is full", "TestDiskFull TestDiskFullAtTheEnd TestStartNotRecorded TestRealNoRoom TestRealLogsFull TestRealOutputGone"},
	{"25 read-only folders", "TestReadOnly TestRealNoRoom"},
	{"26 staging on another file system", "TestOtherFileSystem TestRealOtherFileSystem"},
	{"27 a sync fails", "TestSyncFails"},
	{"28 torn records", "TestTornRecords TestRecordTorn"},
	{"29 power loss", "TestPowerLossAtEveryStep"},
	{"30 the wall clock moves; both clock changes", "TestWallClockMoves TestClockChanges"},
	{"31 suspended during the grace", "TestSuspendDuringGrace TestClocks"},
	{"32 a number that is another's now", "TestNumberOfAnother TestRealIdentity"},
	{"33 locks that say nothing; another machine", "TestUnverifiable"},
	{"34 daemons that keep or close their files", "TestRealDaemons"},
	{"35 a flood of output", "TestRealFlood TestKeeper"},
	{"36 our output is closed early", "TestRealOutputGone"},
	{"37 what cannot be started", "TestCannotStart TestRealCannotStart"},
	{"38 exit codes and signals", "TestRealExitCodes"},
	{"39 overlap with orphans", "TestOwnerLostWithOrphans TestRealOwnerKilled"},
	{"40 what a readback says", "TestReadback TestAfterReadback"},
	{"41 a hold released twice; the replay limit", "TestHoldAndRelease TestReplayLimit"},
	{"42 the wrapper is PID 1", "TestRunAsFirstProcess"},
	{"43 a fault of the program", "TestPanicAtEveryStep"},
	{"44 the folder is removed", "TestStateRemoved TestRealStateRemoved"},
	{"45 a frozen wrapper", "TestFrozenWrapper TestRealFrozen TestRealFrozenDrained"},
}

func TestEveryCaseHasItsTests(t *testing.T) {
	if len(cases) != 45 {
		t.Errorf("%d cases", len(cases))
	}
	there := map[string]bool{}
	for _, glob := range []string{"*_test.go", "host/*_test.go", "../../cmd/rolecall/run*_test.go"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing`).FindAllStringSubmatch(string(text), -1) {
				there[m[1]] = true
			}
		}
	}
	for _, c := range cases {
		for _, name := range strings.Fields(c.tests) {
			if !there[name] {
				t.Errorf("case %s: there is no %s", c.what, name)
			}
		}
	}
}
