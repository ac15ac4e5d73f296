//go:build !unix

package forge

import "os/exec"

// confine leaves the program as it is: only it, not its children, can be
// stopped here.
func confine(*exec.Cmd) {}
