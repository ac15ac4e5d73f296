// Package cli is the command line of the program.
//
// It knows a handful of commands itself (serve, start, stop, status, exec, env,
// seed demo, worker, doctor, version, config print, completion) and turns every
// module.Command into a sub-command. Those run in the process that owns the data folder: through the admin socket
// when a server is running, otherwise in this process with the store opened
// for the moment.
//
// Every command takes --json and then prints exactly one object on standard
// output. Errors go to standard error, name the cause and the next step, and
// decide the exit code: 0 done, 1 failed, 2 usage, 3 not found, 4 conflict,
// 5 the data folder is owned by another process, 6 configuration.
package cli
