package folderlock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lockName is the file in a data folder that its owner holds locked.
const lockName = "stoa.lock"

// Lock says that this process owns a data folder.
type Lock struct {
	file *os.File
}

// OwnedError is a data folder that another process owns.
type OwnedError struct {
	Dir string
	PID int // zero if the owner did not write it
	// Command says that the owner is a command, which ends soon.
	Command bool
}

func (e *OwnedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("data folder %s is in use by another process; stop it or use another folder", e.Dir)
	}
	return fmt.Sprintf("data folder %s is in use by process %d; stop it or use another folder", e.Dir, e.PID)
}

// ErrLocked is what File reports when another open file holds the lock.
var ErrLocked = errors.New("locked")

// Open makes this process the owner of dir until Unlock or its end. The
// lock is the kernel's, so the file of a process that died owns nothing.
func Open(dir string) (*Lock, error) { return open(dir, "") }

// OpenForCommand is Open by a process that ends soon, and says so to others.
func OpenForCommand(dir string) (*Lock, error) { return open(dir, commandMark) }

// OpenForLab is Open by a lab, which its clients find by more than the lock.
func OpenForLab(dir string) (*Lock, error) { return open(dir, labMark) }

// What stands after the pid of a command and of a lab.
const (
	commandMark = "command"
	labMark     = "lab"
)

// LabOwner is the process that holds a folder as a lab, and since when; zero when the file of the lock names none. The
// lock itself is not tried, which would be in the way of a lab that starts now: a process that died may be named.
func LabOwner(dir string) (pid int, since time.Time) {
	f, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return 0, since
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return 0, since
	}
	pid, mark := readOwner(f)
	if mark != labMark {
		return 0, since
	}
	return pid, info.ModTime()
}

func open(dir, mark string) (*Lock, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("database: lock data folder: %w", err)
	}
	if err := File(f); err != nil {
		owned := &OwnedError{Dir: dir}
		pid, mark := readOwner(f)
		owned.PID, owned.Command = pid, mark == commandMark
		// Nothing was written through this handle.
		_ = f.Close()
		if errors.Is(err, ErrLocked) {
			return nil, owned
		}
		return nil, fmt.Errorf("database: lock data folder: %w", err)
	}
	if err := writeOwner(f, mark); err != nil {
		_ = f.Close() // err says what failed
		return nil, fmt.Errorf("database: lock data folder: %w", err)
	}
	return &Lock{file: f}, nil
}

// Unlock gives the folder up. The file stays: removing it would let two
// processes lock two different files of that name.
func (l *Lock) Unlock() error {
	// An empty file says that the folder has no owner.
	if err := l.file.Truncate(0); err != nil {
		_ = l.file.Close() // err says what failed
		return fmt.Errorf("database: unlock data folder: %w", err)
	}
	return Close(l.file)
}

func writeOwner(f *os.File, mark string) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strings.TrimSpace(strconv.Itoa(os.Getpid())+" "+mark)+"\n"), 0)
	return err
}

func readOwner(f *os.File) (pid int, mark string) {
	b, err := io.ReadAll(io.LimitReader(f, 64))
	if err != nil {
		return 0, ""
	}
	number, mark, _ := strings.Cut(strings.TrimSpace(string(b)), " ")
	if pid, err = strconv.Atoi(number); err != nil {
		return 0, ""
	}
	return pid, mark
}
