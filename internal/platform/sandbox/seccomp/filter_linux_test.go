package seccomp

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// call is a system call with the first words of its arguments.
type call struct {
	number  uint32
	args    []uint32
	foreign bool // of another instruction set
	counted bool // in a run whose memory a cgroup counts
}

// answer runs the filter on a call. The machine of package bpf reads numbers as
// the network does, the kernel as the processor does; the program is the same.
func answer(t *testing.T, c call) uint32 {
	t.Helper()
	vm, err := bpf.NewVM(instructions(c.counted))
	if err != nil {
		t.Fatal(err)
	}
	arch := uint32(auditArch)
	if c.foreign {
		arch++
	}
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[offNumber:], c.number)
	binary.BigEndian.PutUint32(data[offArch:], arch)
	for i, a := range c.args {
		binary.BigEndian.PutUint32(data[offArg0+8*i:], a)
	}
	got, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(got)
}

func TestFilter(t *testing.T) {
	t.Parallel()
	const eperm, enosys = refuse | uint32(unix.EPERM), refuse | uint32(unix.ENOSYS)
	socket := func(args ...uint32) call { return call{number: unix.SYS_SOCKET, args: args} }
	for name, c := range map[string]struct {
		call
		want uint32
	}{
		"read":                     {call{number: unix.SYS_READ}, allow},
		"another instruction set":  {call{number: unix.SYS_READ, foreign: true}, killAll},
		"mount":                    {call{number: unix.SYS_MOUNT}, eperm},
		"clone3":                   {call{number: unix.SYS_CLONE3}, enosys},
		"clone":                    {call{number: unix.SYS_CLONE, args: []uint32{unix.CLONE_VM}}, allow},
		"clone of a namespace":     {call{number: unix.SYS_CLONE, args: []uint32{unix.CLONE_NEWUSER}}, eperm},
		"memory that is counted":   {call{number: unix.SYS_MEMFD_CREATE, counted: true}, allow},
		"memory that is not":       {call{number: unix.SYS_MEMFD_CREATE}, enosys},
		"typing into a terminal":   {call{number: unix.SYS_IOCTL, args: []uint32{0, unix.TIOCSTI}}, eperm},
		"internet socket":          {socket(unix.AF_INET, unix.SOCK_STREAM), allow},
		"raw socket":               {socket(unix.AF_INET, unix.SOCK_RAW), eperm},
		"packet socket":            {socket(unix.AF_PACKET, unix.SOCK_RAW), eperm},
		"routing table":            {socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE), allow},
		"another table of netlink": {socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER), eperm},
		"local socket of any type": {socket(unix.AF_UNIX, unix.SOCK_RAW), allow},
	} {
		if got := answer(t, c.call); got != c.want {
			t.Errorf("%s: the filter answers %#x, want %#x", name, got, c.want)
		}
	}
	if text, err := Filter(false); err != nil || len(text)%8 != 0 || len(text) != 8*len(instructions(false)) {
		t.Errorf("Filter = %d bytes, %v, want 8 for each instruction", len(text), err)
	}
}
