// Package kubernetes runs the nodes of jobs in a cluster: one Job of batch/v1 for each
// node, with the image that the pipeline names.
//
// Cluster.Run does for package execute what a sandbox does on this machine: it runs a
// shell with the files and pipes of a sandbox.Spec and says how it ended. The pod makes
// a named pipe for each descriptor of the shell and waits. What is in the work folder is
// unpacked in the pod, and each pipe is connected by a call of the API server's exec, so
// that what a step prints arrives while it runs, and caches, workspaces, artifacts and
// test results travel as they do from a sandbox, to the blob store. Stoa reaches the API
// server only, and pods need not reach Stoa.
//
// The Job is deleted when the node ends, is cancelled or takes too long. When the server
// dies its connections end, and with the one of its input the shell; the Job is removed by
// its time to live. A deadline ends pods whose further containers go on.
//
// A call that is not answered, or with 429, 500, 502, 503 or 504, is made again for two
// minutes, at longer and longer intervals; the name of a Job is drawn here, so that a second
// attempt makes no second one. A connection to a program that runs cannot be taken up again:
// when it breaks, the node ends.
//
// Variables and keys of the project are not in the objects: the shell reads them from
// its input. The token of the pod's service account is not mounted.
//
// An image needs /bin/sh, mkfifo, cat, dd and tar, as Debian's and BusyBox have them.
//
// The client is our own on net/http, see docs/adr/0032-kubernetes-client.md.
package kubernetes
