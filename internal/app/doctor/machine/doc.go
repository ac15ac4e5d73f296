// Package machine looks at what a process of the server gets from its machine: memory,
// programs, the sandbox, the clock. A running server looks for itself, because a service
// manager may give it less than the operator's shell has.
package machine
