// Package stories drives the true binary with text scripts, one file per
// story in testdata. A story reads like a terminal session: commands, what
// they print, requests and their answers.
//
// Beside testscript's own commands a story has:
//
//	start [-e NAME=VALUE]... [ARG]...    run `stoa serve` on $DATA until it is ready; sets URL and PID
//	stop                        SIGTERM, and the exit code must be 0
//	kill                        kill -9
//	output                      print what the server has printed so far
//	http [-H H]... [-d BODY] [-status N] METHOD URL    one request; prints status line, headers and body
//	https ...                   the same, trusting the authority of STOA_CA_FILE only
//	json PATH VAR               take a member of the last output, an object, into a variable
//	source FOLDER               read the assignments of the folder's demo.env
//	curls N                     run every curl line that stoa env prints; there must be at least N
//	slow METHOD URL ...         as http, but the last byte of the body is held back
//	signal NAME                 send TERM or INT to the server without waiting
//	finish                      send the held back byte and print the answer
//	ended                       wait for the end of the server; the exit code must be 0
package stories
