package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attack is one attempt to see or change something outside. It runs inside the
// sandbox, in this test's own program, and returns what it achieved, or nothing.
type attack struct {
	name string
	try  func(target) string
	// outside says that the same attempt achieves its end without a sandbox;
	// the test checks that, so that no attempt fails for its own clumsiness.
	outside bool
}

// target is what the host shows to be attacked, by way of the environment.
type target struct{ canary, neighbour, loopback, abstract, socket, pid string }

func targetFromEnvironment() target {
	get := os.Getenv
	return target{get("T_CANARY"), get("T_NEIGHBOUR"), get("T_LOOPBACK"), get("T_ABSTRACT"), get("T_SOCKET"),
		get("T_PID")}
}

func (t target) environment() []string {
	return []string{"T_CANARY=" + t.canary, "T_NEIGHBOUR=" + t.neighbour, "T_LOOPBACK=" + t.loopback, "T_ABSTRACT=" +
		t.abstract, "T_SOCKET=" + t.socket, "T_PID=" + t.pid}
}

// worked names a success.
func worked(err error, what string) string {
	if err == nil {
		return what
	}
	return ""
}

// call tries a system call with small arguments. What the filter or the lack of
// rights answers is EPERM, EACCES or ENOSYS; anything else got further.
func call(nr uintptr, args ...uintptr) func(target) string {
	return func(target) string {
		var a [6]uintptr
		copy(a[:], args)
		_, _, errno := syscall.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
		if errno == unix.EPERM || errno == unix.EACCES || errno == unix.ENOSYS {
			return ""
		}
		return fmt.Sprintf("system call %d answered %v", nr, errno)
	}
}

// write tries to write to an existing or new file.
func write(name string) func(target) string {
	return func(target) string {
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
		if err != nil {
			return ""
		}
		defer f.Close()
		_, err = f.WriteString("1")
		return worked(err, "wrote to "+name)
	}
}

func socket(domain, kind, protocol int) func(target) string {
	return func(target) string {
		_, err := unix.Socket(domain, kind, protocol)
		return worked(err, fmt.Sprintf("made a socket of family %d, type %d, protocol %d", domain, kind, protocol))
	}
}

func dial(network, address string) string {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return ""
	}
	c.Close()
	return "connected to " + address
}

func readable(names ...string) string {
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && len(b) > 0 {
			return "read " + name
		}
	}
	return ""
}

func attacks() []attack {
	all := append(fileAttacks(), processAttacks()...)
	return append(append(all, kernelAttacks()...), networkAttacks()...)
}

func fileAttacks() []attack {
	return []attack{
		{name: "read the data folder", outside: true, try: func(t target) string { return readable(t.canary) }},
		{name: "read another job", outside: true, try: func(t target) string { return readable(t.neighbour) }},
		{name: "read the data folder through proc", try: func(t target) string {
			return readable("/proc/1/root"+t.canary, "/proc/self/root"+t.canary, "/proc/1/cwd/.."+t.canary)
		}},
		{name: "read the data folder through a link", outside: true, try: func(t target) string {
			name := filepath.Join(os.TempDir(), "link-"+strconv.Itoa(os.Getpid()))
			defer os.Remove(name)
			if err := os.Symlink(t.canary, name); err != nil {
				return ""
			}
			return readable(name)
		}},
		{name: "read the data folder by climbing", outside: true, try: func(t target) string {
			return readable(strings.Repeat("../", 30) + t.canary[1:])
		}},
		{name: "read passwords", try: func(target) string {
			return readable("/etc/shadow", "/etc/gshadow",
				"/etc/sudoers")
		}},
		{name: "list homes and state", try: func(target) string {
			for _, dir := range []string{"/root", "/var/lib", "/var/log", "/srv", "/mnt", "/boot"} {
				if e, err := os.ReadDir(dir); err == nil && len(e) > 0 {
					return "listed " + dir
				}
			}
			if e, _ := os.ReadDir("/home"); len(e) > 1 {
				return "listed /home"
			}
			return ""
		}},
		{name: "write to the system", try: write("/usr/bin/stoa-was-here")},
		{name: "write to the root", try: write("/stoa-was-here")},
		{name: "write to etc", try: write("/etc/passwd")},
		{name: "write to run", try: write("/run/stoa-was-here")},
		{name: "write to dev", try: write("/dev/stoa-was-here")},
		{name: "make a device", try: func(target) string {
			return worked(unix.Mknod("disk", unix.S_IFBLK|0o666, int(unix.Mkdev(8, 0))), "made a block device")
		}},
		{name: "make a character device", try: func(target) string {
			return worked(unix.Mknod("mem", unix.S_IFCHR|0o666, int(unix.Mkdev(1, 1))), "made /dev/mem")
		}},
		{name: "find a disk or memory device", try: func(target) string {
			found := ""
			for _, pattern := range []string{"/dev/sd*", "/dev/vd*", "/dev/nvme*", "/dev/mem", "/dev/kmem",
				"/dev/kmsg", "/dev/port", "/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/loop*"} {
				m, _ := filepath.Glob(pattern)
				found += strings.Join(m, " ")
			}
			return found
		}},
		{name: "hard link a file of the system",
			try: func(target) string { return worked(os.Link("/usr/bin/env", "env"), "linked /usr/bin/env") }},
		{name: "fill the temporary folder", try: func(target) string { return fill("/tmp/f", 64<<20) }},
		{name: "fill shared memory", try: func(target) string { return fill("/dev/shm/f", 64<<20) }},
		{name: "write a huge file", try: func(target) string {
			f, err := os.Create("huge")
			if err != nil {
				return ""
			}
			defer f.Close()
			_, err = f.WriteAt([]byte("x"), 1<<40)
			return worked(err, "wrote at one terabyte")
		}},
		{name: "see the host's descriptors", try: func(target) string {
			e, _ := os.ReadDir("/proc/self/fd")
			for _, f := range e {
				to, _ := os.Readlink("/proc/self/fd/" + f.Name())
				if strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/proc/") && !strings.HasPrefix(to, "/dev/") {
					return "inherited " + to
				}
			}
			return ""
		}},
		{name: "find a service socket", try: func(t target) string {
			return dial("unix", "/run/docker.sock") + dial("unix", "/var/run/docker.sock") +
				dial("unix", "/run/dbus/system_bus_socket")
		}},
		{name: "reach a socket in the data folder", outside: true,
			try: func(t target) string { return dial("unix", t.socket) }},
	}
}

// fill writes until it is told to stop.
func fill(name string, enough int) string {
	f, err := os.Create(name)
	if err != nil {
		return ""
	}
	defer os.Remove(name)
	defer f.Close()
	block := make([]byte, 1<<20)
	for n := 0; n < enough; n += len(block) {
		if _, err := f.Write(block); err != nil {
			return ""
		}
	}
	return fmt.Sprintf("wrote %d bytes to %s", enough, name)
}

func processAttacks() []attack {
	return []attack{
		{name: "become root", try: func(target) string { return worked(syscall.Setuid(0), "setuid(0)") }},
		{name: "run a setuid program", try: func(target) string {
			out, _ := exec.Command("/usr/bin/su", "-c", "id -u").CombinedOutput()
			if strings.TrimSpace(string(out)) == "0" {
				return "su made root"
			}
			return ""
		}},
		{name: "hold a capability", try: func(target) string {
			b, _ := os.ReadFile("/proc/self/status")
			for line := range strings.Lines(string(b)) {
				for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
					if strings.HasPrefix(line, set) && strings.Trim(line[len(set)+1:], " \t\n0") != "" {
						return line
					}
				}
			}
			return ""
		}},
		{name: "gain privileges by exec", try: func(target) string {
			v, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
			if err == nil && v == 1 {
				return ""
			}
			return "new privileges are allowed"
		}},
		{name: "see processes of the host", outside: true, try: func(t target) string {
			found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, name := range found {
				if b, _ := os.ReadFile(name); strings.Contains(string(b), "canary-"+t.pid) {
					return "saw the canary in " + name
				}
			}
			return ""
		}},
		{name: "read the server's command line and environment", try: func(t target) string {
			for _, name := range []string{"/proc/1/cmdline", "/proc/1/environ"} {
				if b, _ := os.ReadFile(name); strings.Contains(string(b), "/var/tmp/") ||
					strings.Contains(string(b), "stoa-secret") {
					return "read paths of the host in " + name
				}
			}
			return ""
		}},
		{name: "inherit the server's environment", outside: true,
			try: func(target) string { return os.Getenv("STOA_TEST_SECRET") }},
		{name: "kill the parent", try: func(t target) string {
			pid, _ := strconv.Atoi(t.pid)
			if pid > 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
				if b, _ := os.ReadFile("/proc/" + t.pid + "/cmdline"); strings.Contains(string(b), "canary-") {
					return "killed the canary"
				}
			}
			_ = syscall.Kill(1, syscall.SIGKILL) // the first process of a namespace does not hear it
			return worked(syscall.Kill(1<<22-1, 0), "signalled a process of the host")
		}},
		{name: "trace the first process", try: call(unix.SYS_PTRACE, unix.PTRACE_ATTACH, 1, 0, 0)},
		{name: "be traced", try: call(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0, 0)},
		{name: "read the memory of another process", try: call(unix.SYS_PROCESS_VM_READV, 1, 0, 0, 0, 0, 0)},
		{name: "write the memory of another process", try: call(unix.SYS_PROCESS_VM_WRITEV, 1, 0, 0, 0, 0, 0)},
		{name: "take a descriptor of another process", try: call(unix.SYS_PIDFD_GETFD, 0, 0, 0)},
		{name: "type into the terminal", try: func(target) string {
			if f, err := os.Open("/dev/tty"); err == nil {
				f.Close()
				return "opened the terminal"
			}
			c := byte('x')
			_, _, errno := syscall.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
			if errno != unix.EPERM {
				return "TIOCSTI answered " + errno.Error()
			}
			return ""
		}},
		{name: "raise a limit", try: func(target) string {
			return worked(unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: 1 << 20, Max: 1 << 20}),
				"raised the number of processes")
		}},
		{name: "raise the priority", try: func(target) string {
			return worked(unix.Setpriority(unix.PRIO_PROCESS, 0, -20), "became more important than the server")
		}},
		{name: "open files without end", try: func(target) string {
			for range 100_000 {
				if _, err := unix.Open("/dev/null", unix.O_RDONLY, 0); err != nil {
					return ""
				}
			}
			return "opened 100000 files"
		}},
		{name: "fork without end", try: func(target) string {
			for n := range 400 {
				if err := exec.Command("/bin/sleep", "60").Start(); err != nil {
					return ""
				} else if n > 300 {
					return "started more processes than allowed"
				}
			}
			return ""
		}},
	}
}

func kernelAttacks() []attack {
	namespaces := func(flags uintptr) func(target) string {
		return func(target) string {
			pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
			if errno == 0 && pid == 0 {
				syscall.RawSyscall(unix.SYS_EXIT, 0, 0, 0)
			}
			if errno == unix.EPERM {
				return ""
			}
			return fmt.Sprintf("clone answered %v", errno)
		}
	}
	name, _ := unix.BytePtrFromString("/tmp")
	path := uintptr(unsafe.Pointer(name))
	return []attack{
		{name: "mount", try: func(target) string {
			return worked(unix.Mount("none", "/tmp", "tmpfs", 0, ""),
				"mounted")
		}},
		{name: "bind mount", try: func(target) string {
			return worked(unix.Mount("/usr", "/tmp", "", unix.MS_BIND, ""), "bound")
		}},
		{name: "make the root writable", try: func(target) string {
			return worked(unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, ""), "remounted")
		}},
		{name: "unmount", try: func(target) string {
			return worked(unix.Unmount("/usr", unix.MNT_DETACH),
				"unmounted")
		}},
		{name: "pivot the root", try: func(target) string { return worked(unix.PivotRoot("/tmp", "/tmp"), "pivoted") }},
		{name: "chroot", try: func(target) string { return worked(unix.Chroot("/tmp"), "chroot") }},
		{name: "mount by the new calls", try: call(unix.SYS_FSOPEN, path, 0)},
		{name: "clone a mount tree", try: call(unix.SYS_OPEN_TREE, ^uintptr(99), path, 1)},
		{name: "open by handle", try: call(unix.SYS_OPEN_BY_HANDLE_AT, 0, 0, 0)},
		{name: "a new user namespace", try: func(target) string {
			return worked(unix.Unshare(unix.CLONE_NEWUSER),
				"unshare")
		}},
		{name: "a new user namespace by clone", try: namespaces(unix.CLONE_NEWUSER)},
		{name: "a new network namespace by clone", try: namespaces(unix.CLONE_NEWNET)},
		{name: "namespaces by clone3", try: call(unix.SYS_CLONE3, 0, 0)},
		{name: "enter a namespace", try: call(unix.SYS_SETNS, 0, 0)},
		{name: "kernel keys", try: call(unix.SYS_KEYCTL, 0, ^uintptr(2), 1)},
		{name: "add a kernel key", try: call(unix.SYS_ADD_KEY, path, path, path, 1, ^uintptr(2))},
		{name: "programs in the kernel", try: call(unix.SYS_BPF, 0, 0, 0)},
		{name: "watch the processor", try: call(unix.SYS_PERF_EVENT_OPEN, 0, 0, ^uintptr(0), ^uintptr(0), 0)},
		{name: "handle page faults", try: call(unix.SYS_USERFAULTFD, 1)},
		{name: "kernel queues", try: call(unix.SYS_IO_URING_SETUP, 1, path)},
		{name: "memory without a name", try: call(unix.SYS_MEMFD_CREATE, path, 0)},
		{name: "secret memory", try: call(unix.SYS_MEMFD_SECRET, 0)},
		{name: "memory segments", try: call(unix.SYS_SHMGET, 0, 4096, 0o600)},
		{name: "message queues", try: call(unix.SYS_MSGGET, 0, 0o600)},
		{name: "load a kernel", try: call(unix.SYS_KEXEC_LOAD, 0, 0, 0, 0)},
		{name: "load a module", try: call(unix.SYS_INIT_MODULE, path, 1, path)},
		{name: "restart the machine", try: call(unix.SYS_REBOOT, unix.LINUX_REBOOT_MAGIC1, unix.LINUX_REBOOT_MAGIC2,
			unix.LINUX_REBOOT_CMD_CAD_OFF, 0)},
		{name: "set the clock", try: call(unix.SYS_SETTIMEOFDAY, 0, 0)},
		{name: "set the host name", try: call(unix.SYS_SETHOSTNAME, path, 4)},
		{name: "read the kernel's log", try: call(unix.SYS_SYSLOG, 3, path, 0)},
		{name: "write a kernel setting", try: func(t target) string {
			return write("/proc/sys/kernel/core_pattern")(t) + write("/proc/sys/kernel/hostname")(t) +
				write("/proc/sys/vm/overcommit_memory")(t)
		}},
		{name: "press the magic key", try: write("/proc/sysrq-trigger")},
		{name: "write to sys", try: func(t target) string {
			if e, err := os.ReadDir("/sys"); err == nil && len(e) > 0 {
				return "listed /sys"
			}
			return write("/sys/kernel/uevent_helper")(t) + write("/sys/fs/cgroup/cgroup.procs")(t)
		}},
		{name: "calls of another instruction set", try: foreignCall},
	}
}

// foreignCall uses the x32 form of getpid, which a filter by number alone would
// let through.
func foreignCall(target) string {
	_, _, errno := syscall.RawSyscall(unix.SYS_GETPID|0x40000000, 0, 0, 0)
	if errno == unix.ENOSYS {
		return ""
	}
	return fmt.Sprintf("the foreign call answered %v", errno)
}

func networkAttacks() []attack {
	return []attack{
		{name: "raw socket", try: socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)},
		{name: "raw socket of IPv6", try: socket(unix.AF_INET6, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_ICMPV6)},
		{name: "packet socket", try: socket(unix.AF_PACKET, unix.SOCK_RAW, 0)},
		{name: "audit socket", try: socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT)},
		{name: "netfilter socket", try: socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER)},
		{name: "machine socket", try: socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)},
		{name: "crypto socket", try: socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)},
		{name: "reach loopback", outside: true, try: func(t target) string { return dial("tcp", t.loopback) }},
		{name: "reach an abstract socket", outside: true,
			try: func(t target) string { return dial("unix", "@"+t.abstract) }},
		{name: "reach the metadata address", try: func(target) string {
			return dial("tcp", "169.254.169.254:80") + dial("tcp", "[fd00:ec2::254]:80")
		}},
		{name: "reach the world", try: func(target) string {
			// 192.0.2.0/24 is for documentation: no machine is there, but a machine with
			// a network would send.
			c, err := net.Dial("udp", "192.0.2.1:53")
			if err != nil {
				return ""
			}
			defer c.Close()
			_, err = c.Write([]byte("x"))
			return worked(err, "sent a packet")
		}},
		{name: "find another interface", try: func(target) string {
			all, err := net.Interfaces()
			if err != nil {
				return "" // nothing was learnt
			}
			for _, i := range all {
				if i.Name != "lo" {
					return "found " + i.Name
				}
			}
			return ""
		}},
		{name: "bring up an interface", try: func(target) string {
			fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
			if err != nil {
				return ""
			}
			ifr, err := unix.NewIfreq("lo")
			if err != nil {
				return err.Error()
			}
			ifr.SetUint16(0)
			_, _, errno := syscall.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SIOCSIFFLAGS, uintptr(unsafe.Pointer(ifr)))
			if errors.Is(errno, unix.EPERM) {
				return ""
			}
			return fmt.Sprintf("changing lo answered %v", errno)
		}},
	}
}
