package seccomp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Answers of the filter, from linux/seccomp.h.
const (
	allow   = 0x7fff0000
	refuse  = 0x00050000 // with an errno in the lower half
	killAll = 0x80000000
)

// Offsets into struct seccomp_data.
const (
	offNumber = 0
	offArch   = 4
	offArg0   = 16
	offArg1   = 24
	offArg2   = 32
)

// newNamespaces are the clone flags that make namespaces.
const newNamespaces = unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWNS

// refused are the calls that no build needs and that the history of kernel
// faults is made of. Most would fail anyway for want of rights; here they do
// not even reach the code that decides about rights.
func refused() []uint32 {
	return append([]uint32{
		// What the mounts look like is decided outside.
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
		unix.SYS_SETNS, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT,
		// Other processes' memory and files by handle.
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
		unix.SYS_PIDFD_GETFD, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
		// Kernel keyrings know no namespaces.
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		// Programs and observers in the kernel.
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE,
		// The machine itself.
		unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
		unix.SYS_CLOCK_ADJTIME,
		unix.SYS_ADJTIMEX, unix.SYS_SYSLOG, unix.SYS_VHANGUP, unix.SYS_NFSSERVCTL,
	}, refusedHere()...)
}

// absent calls answer as on a kernel that lacks them, so that libraries take
// their older way: the flags of clone3 and the work of io_uring lie in memory,
// where a filter cannot look.
func absent() []uint32 {
	return []uint32{unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}
}

// uncounted calls keep memory that no page table shows. Only a cgroup counts it;
// without one they are absent, and programs take files in /dev/shm, which has a
// size.
func uncounted() []uint32 {
	return []uint32{unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_SHMGET, unix.SYS_MSGGET}
}

// ErrProcessor says that the filter does not know the numbers of the processor's
// system calls.
var ErrProcessor = errors.New("there is no system call filter for this processor; use amd64 or arm64")

// Filter is the program for the kernel, as bubblewrap reads it. counted says
// that a cgroup counts all memory.
func Filter(counted bool) ([]byte, error) {
	if auditArch == 0 {
		return nil, ErrProcessor
	}
	raw, err := bpf.Assemble(instructions(counted))
	if err != nil {
		return nil, fmt.Errorf("seccomp: assembling the system call filter: %w", err)
	}
	var out bytes.Buffer
	for _, in := range raw {
		if err := binary.Write(&out, binary.NativeEndian, in); err != nil {
			return nil, fmt.Errorf("seccomp: writing the system call filter: %w", err)
		}
	}
	return out.Bytes(), nil
}

// instructions is the filter: blocks that answer or fall through to the next.
func instructions(counted bool) []bpf.Instruction {
	eperm := bpf.RetConstant{Val: refuse | uint32(unix.EPERM)}
	enosys := bpf.RetConstant{Val: refuse | uint32(unix.ENOSYS)}
	load := func(off uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: off, Size: 4} }
	// unless skips the given number of instructions when the test holds.
	unless := func(test bpf.JumpTest, val uint32, skip uint8) bpf.Instruction {
		return bpf.JumpIf{Cond: test, Val: val, SkipTrue: skip}
	}
	out := []bpf.Instruction{
		// Another instruction set has other numbers: nothing of it runs.
		load(offArch), unless(bpf.JumpEqual, auditArch, 1),
		bpf.RetConstant{Val: killAll},
		load(offNumber), unless(bpf.JumpLessThan, foreignNumbers, 1), enosys,
	}
	for _, nr := range refused() {
		out = append(out, unless(bpf.JumpNotEqual, nr, 1), eperm)
	}
	missing := absent()
	if !counted {
		missing = append(missing, uncounted()...)
	}
	for _, nr := range missing {
		out = append(out, unless(bpf.JumpNotEqual, nr, 1), enosys)
	}
	// Namespaces by clone and unshare: the flags are the first argument.
	for _, nr := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		out = append(out, unless(bpf.JumpNotEqual, nr, 4),
			load(offArg0), unless(bpf.JumpBitsNotSet, newNamespaces, 1), eperm, bpf.RetConstant{Val: allow})
	}
	// Typing into a terminal, and the console's own selection.
	out = append(out, unless(bpf.JumpNotEqual, unix.SYS_IOCTL, 6), load(offArg1),
		unless(bpf.JumpNotEqual, unix.TIOCSTI, 1), eperm, unless(bpf.JumpNotEqual, unix.TIOCLINUX, 1), eperm,
		bpf.RetConstant{Val: allow})
	return append(append(out, sockets(load, unless, eperm)...), bpf.RetConstant{Val: allow})
}

// sockets leaves local and internet sockets, and of netlink the routing table,
// which every resolver asks.
func sockets(load func(uint32) bpf.Instruction, unless func(bpf.JumpTest, uint32, uint8) bpf.Instruction,
	eperm bpf.Instruction) []bpf.Instruction {
	ok := bpf.RetConstant{Val: allow}
	return []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_SOCKET, SkipTrue: 1},
		bpf.RetConstant{Val: allow},
		load(offArg0),
		unless(bpf.JumpNotEqual, unix.AF_UNIX, 1), ok,
		unless(bpf.JumpNotEqual, unix.AF_NETLINK, 4),
		load(offArg2), unless(bpf.JumpNotEqual, unix.NETLINK_ROUTE, 1), ok, eperm,
		// What is neither IPv4 nor IPv6 ends here; of these, raw ones do.
		unless(bpf.JumpEqual, unix.AF_INET, 2), unless(bpf.JumpEqual, unix.AF_INET6, 1), eperm,
		load(offArg1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xf},
		unless(bpf.JumpNotEqual, unix.SOCK_RAW, 1), eperm,
	}
}
