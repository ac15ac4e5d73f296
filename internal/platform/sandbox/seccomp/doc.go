// Package seccomp writes the system call filter of programs that are not trusted:
// what no build needs is refused, what a filter cannot look into is absent, and
// other instruction sets end the process.
package seccomp
