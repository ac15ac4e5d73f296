package execute

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/platform/clock"
)

// text is the shell text that runs a step's command: in its folder, with its
// variables, by the shell it names.
func (n *node) text(st *step) string {
	var b strings.Builder
	dir := n.work
	if st.Run.WorkingDirectory != "" {
		dir = n.place(st.Run.WorkingDirectory)
	}
	// A job may have removed its own folder.
	fmt.Fprintf(&b, "[ -d %[1]s ] || mkdir -p %[1]s; cd %[2]s || exit 1; ", quote(n.work), quote(dir))
	for _, name := range slices.Sorted(maps.Keys(st.Run.Environment)) {
		fmt.Fprintf(&b, "export %s=%s; ", name, quote(st.Run.Environment[name]))
	}
	shell := st.Run.Shell
	if shell == "" {
		shell = n.task.Job.Shell
	}
	words := strings.Fields(shell)
	if len(words) == 0 {
		words = []string{"/bin/bash", "-eo", "pipefail"}
	}
	command := quote(st.Run.Command)
	if words[0] == "/bin/bash" {
		// Where there is no bash, the plain shell must do.
		fmt.Fprintf(&b, "[ -x /bin/bash ] || exec %s /bin/sh -e -c %s; ", closed, command)
	}
	fmt.Fprintf(&b, "exec %s %s -c %s", closed, quoteAll(words), command)
	return b.String()
}

// runCommand runs a step to its end, and again if it may be.
func (n *node) runCommand(st *step) result {
	for attempt := 0; ; attempt++ {
		r, err := n.session.call(n.text(st), st.sink)
		if err != nil {
			return n.ended()
		}
		if r.code == 0 {
			n.halted = n.halted || r.halt
			return result{outcome: Success}
		}
		failed := result{outcome: Failed, code: r.code, reason: exitReason(r.code)}
		if attempt >= st.Run.Reruns {
			return failed
		}
		next := n.sink(st.index, st.silence)
		next.left, next.truncated = st.left, st.truncated
		st.sink = next
		st.say(fmt.Sprintf("The command ended with code %d; trying again (%d of %d).", r.code, attempt+1,
			st.Run.Reruns))
		if err := clock.Sleep(n.ctx, n.executor.clock, st.Run.Delay); err != nil {
			return n.ended()
		}
	}
}

func exitReason(code int) string {
	if code > 128 && code <= 128+64 {
		return fmt.Sprintf("The command was ended by signal %d.", code-128)
	}
	return fmt.Sprintf("The command ended with code %d.", code)
}
