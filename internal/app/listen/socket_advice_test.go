package listen

import (
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestSocketAdvice: a folder that may not be written is mended there, not by another socket, which would
// only have the next file refused.
func TestSocketAdvice(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	for _, row := range []struct {
		socket string
		err    error
		want   string
	}{
		{filepath.Join(data, "kms.sock"), syscall.EACCES, "name another folder with --data"},
		{filepath.Join(data, "kms.sock"), syscall.EROFS, "name another folder with --data"},
		{filepath.Join(data, "..", "kms.sock"), syscall.EACCES, "choose another with --kms-socket"},
		{filepath.Join(data, "no", "kms.sock"), fs.ErrNotExist, "make the folder "},
		{filepath.Join(data, "kms.sock"), syscall.EADDRINUSE, "choose another with --kms-socket"},
	} {
		if got := socketAdvice(row.socket, data, row.err); !strings.Contains(got, row.want) {
			t.Errorf("%s, %v: %q, want %q", row.socket, row.err, got, row.want)
		}
	}
}
