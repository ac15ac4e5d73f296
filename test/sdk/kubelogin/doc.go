// Package kubelogin signs users of a cluster in at the true binary with the unmodified
// kubelogin, the plugin of kubectl for OpenID Connect. It is a module of its own, so
// that the program bends no client's module graph.
package kubelogin
