// Command kube starts a real Kubernetes API server on this machine, with Stoa as its
// key-management plugin, and tries what an operator does with it: write secrets, read
// etcd without the API server, rotate the key, write the stored secrets again, destroy
// the old key, and kill the plugin while clients write.
//
// It prints what was tried and what was seen, and ends with a failure when a secret
// that the API server acknowledged is lost or altered, when etcd holds one in plain
// text, or when a stored secret is under another key than it should be.
//
// Then it runs the jobs of a pipeline there (executor kubernetes), with the real job
// controller and a stand-in for scheduler and kubelet: pods run under bubblewrap with the
// programs of this machine. At last it installs the chart of packaging/helm with helm,
// upgrades and uninstalls it, and applies what examples/kubernetes has for a cluster. -only keys, -only chart or -only
// executor tries one part.
//
// The programs are compiled from the Go module k8s.io/kubernetes, in the module of
// folder programs, into .cache/kube; the first time takes many minutes. etcd is the one
// of Debian's package etcd-server, which `make kube-check` installs where it may. The
// EncryptionConfiguration is the one in examples/kubernetes, with another socket.
//
// There is one API server, one etcd and one plugin, all on loopback.
package main
