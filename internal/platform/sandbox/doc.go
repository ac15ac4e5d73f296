// Package sandbox runs one program that is not trusted.
//
// It owns the confinement: a bubblewrap process with its own user, process,
// mount, network, IPC, host-name and cgroup namespaces, a read-only root made
// of the few host folders that programs need, one private writable folder, an
// empty environment, a system call filter, and limits on memory, disk,
// processes, files, output and time. When a run ends, for whatever reason,
// nothing of it is left running: the processes live in a process namespace
// whose first process is killed, and the kernel takes the rest with it, also
// when the server itself is killed.
//
// Where bubblewrap or user namespaces are missing, Check says what is missing
// and what to do, and Run refuses. Running without confinement is a separate
// mode that an operator asks for by name (ModeHost); there is no silent way
// from one to the other.
//
// What stands alone has a package of its own: the filter (seccomp), the group that
// counts a run (cgroup), what its processes use (memorydiskuse), and folders that it has
// filled (tree).
//
// The package does not know what it runs: steps, caches and artifacts are the
// business of service/pipelines/execute, code execution that of
// service/generate. It keeps nothing between two runs and imports nothing of
// the platform but the clock. docs/adr/0016-sandbox.md says why it is built this
// way, docs/security-sandbox.md what is promised and what is not.
package sandbox
