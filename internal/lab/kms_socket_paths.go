package lab

import (
	"os"
	"path/filepath"
)

// maxSocketPath is what systems allow for the path of a socket, less a little for
// its temporary name.
const maxSocketPath = 90

// openSockets finds the folder of the worlds' key-management sockets: the world's
// own, or where its path is longer than systems allow a short one of this process.
func (l *Lab) openSockets() (err error) {
	longest := filepath.Join(l.worldDir("a-name-of-24-characters-"), socketName)
	if len(longest) > maxSocketPath {
		l.sockets, err = os.MkdirTemp("", "stoa")
	}
	return err
}

func (l *Lab) closeSockets() error {
	if l.sockets == "" {
		return nil
	}
	return os.RemoveAll(l.sockets)
}

const socketName = "kms.sock"

func (w *World) socket() string {
	if w.lab.sockets != "" {
		return filepath.Join(w.lab.sockets, w.Name()+".sock")
	}
	return filepath.Join(w.dir(), socketName)
}
