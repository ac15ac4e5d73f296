package listen

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// longestSocketPath fits into the address of a socket on every system: 104 bytes on
// some, 108 on Linux, with a zero at the end.
const longestSocketPath = 100

// DialSocket connects to the unix socket at a path of any length.
func DialSocket(ctx context.Context, path string) (c net.Conn, err error) {
	err = shortly(path, func(short string) error {
		c, err = new(net.Dialer).DialContext(ctx, "unix", short)
		return err
	})
	return c, err
}

// shortly runs do with a path that fits into a socket's address. Where the path of the
// socket is too long, its folder is opened and named by the number of the open file.
func shortly(path string, do func(short string) error) error {
	if len(path) <= longestSocketPath {
		return do(path)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	open := filepath.Join("/proc/self/fd", strconv.FormatUint(uint64(folder.Fd()), 10))
	if _, err := os.Stat(open); err != nil {
		return fmt.Errorf("the path of a socket may have %d bytes on this system, and %s has %d; choose a folder with a "+
			"shorter path", longestSocketPath, path, len(path))
	}
	return do(filepath.Join(open, filepath.Base(path)))
}
