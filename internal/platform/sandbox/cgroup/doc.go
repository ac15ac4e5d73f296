// Package cgroup bounds and counts the processes of a run by a group below a
// folder that the system has delegated to the server (cgroup v2).
package cgroup
