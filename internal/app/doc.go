// Package app builds a whole server: it is the only package that knows every
// service.
//
// New builds one world from its options: it opens the data folder, applies
// migrations, builds identity and the services in the order of services.go, and
// makes the handler that answers for all of them. Nothing runs yet. StartJobs
// begins background work, Listen opens the configured addresses, Start does both,
// and Close ends everything in reverse order. If a step fails, the steps before it
// are undone before the error is returned. No service is named in build_app.go: what they
// differ in is in the module.Module each hands over.
//
// A process may hold many worlds, each with its own folder, clock, identifiers and
// address. What belongs to the process and not to a world stays outside: signals
// and the memory limit are the command's, and worlds of one process are given the
// same Memory pool. A world that another handler leads to (Options.NoHTTP) has no
// TCP listener of its own and answers through Handler.
//
// The folders below hold what is not about one world: listen (addresses,
// certificates, sockets), rpc (gRPC), admin (commands to a running server), demo,
// settings (reading the configuration), memlimit, doctor and cli.
//
// Configuration is one struct that nests every package's own Config; a file,
// then the environment, then flags fill it.
package app
