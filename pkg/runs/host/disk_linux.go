package host

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rolecall-dev/rolecall/pkg/runs"
)

func allocate(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return fillWithZeros(f, size)
	}
	return err
}

func moveNew(old, name string) error {
	return unix.Renameat2(unix.AT_FDCWD, old, unix.AT_FDCWD, name, unix.RENAME_NOREPLACE)
}

// scopes are the file systems on which it is known how far flock reaches:
// flock(2), statfs(2). On NFS and CIFS it is emulated, on FUSE it depends.
var scopes = map[int64]string{
	unix.EXT4_SUPER_MAGIC:      runs.ScopeLocal,
	unix.XFS_SUPER_MAGIC:       runs.ScopeLocal,
	unix.BTRFS_SUPER_MAGIC:     runs.ScopeLocal,
	unix.TMPFS_MAGIC:           runs.ScopeLocal,
	unix.RAMFS_MAGIC:           runs.ScopeLocal,
	unix.OVERLAYFS_SUPER_MAGIC: runs.ScopeLocal,
	unix.F2FS_SUPER_MAGIC:      runs.ScopeLocal,
	unix.REISERFS_SUPER_MAGIC:  runs.ScopeLocal,
	unix.MSDOS_SUPER_MAGIC:     runs.ScopeLocal,
	0x2fc12fc1:                 runs.ScopeLocal, // ZFS
	0xca451a4e:                 runs.ScopeLocal, // bcachefs
	unix.NFS_SUPER_MAGIC:       runs.ScopeNetwork,
	unix.SMB_SUPER_MAGIC:       runs.ScopeNetwork,
	unix.SMB2_SUPER_MAGIC:      runs.ScopeNetwork,
	unix.CIFS_SUPER_MAGIC:      runs.ScopeNetwork,
	unix.V9FS_MAGIC:            runs.ScopeNetwork,
	unix.CEPH_SUPER_MAGIC:      runs.ScopeNetwork,
	unix.AFS_SUPER_MAGIC:       runs.ScopeNetwork,
	0x0bd00bd0:                 runs.ScopeNetwork, // Lustre
}

// Scope is how far the locks of a file system reach.
func (Disk) Scope(name string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(name, &st); err != nil {
		return runs.ScopeUnknown
	}
	if s, ok := scopes[int64(uint32(st.Type))]; ok {
		return s
	}
	return runs.ScopeUnknown
}
