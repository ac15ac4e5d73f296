package execute

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/platform/sandbox"
)

// checkout puts the revision where the step wants it.
//
// Before the first program of the job ran, the host writes straight into the
// work folder. Later it must not: a program could have put a link there. Then
// it writes beside it, and a program in the sandbox copies.
func (n *node) checkout(st *step) result {
	target := n.work
	if st.Checkout.Path != "" {
		target = n.place(st.Checkout.Path)
	}
	n.checkouts++
	rest, below := inside(n.home, target)
	_, engine := inside(n.home+"/.stoa", target)
	if n.session == nil && below && rest != "." && !engine && n.checkouts == 1 {
		dir := filepath.Join(n.path("home"), rest)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return n.infrastructure(fmt.Errorf("execute: making the folder for the revision: %w", err))
		}
		return n.checkedOut(st, target, n.host.Checkout(n.ctx, dir))
	}
	if err := n.open(); err != nil {
		return n.infrastructure(err)
	}
	name := strconv.Itoa(n.checkouts)
	dir := n.path("share/in/" + name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return n.infrastructure(fmt.Errorf("execute: making a folder for the revision: %w", err))
	}
	defer func() { _ = sandbox.Remove(dir) }() // what is left goes with the work folder
	if err := n.host.Checkout(n.ctx, dir); err != nil {
		return n.checkedOut(st, target, err)
	}
	if err := n.executor.sandbox.Chown(dir, n.path("home")); err != nil {
		return n.infrastructure(err)
	}
	code, err := n.copyRevision(st, name, target)
	switch {
	case err != nil:
		return n.ended()
	case code != 0:
		return result{outcome: Failed, code: code, reason: "The revision could not be copied to " + target + "."}
	}
	return n.checkedOut(st, target, nil)
}

// copyRevision copies a revision from the folder that we share, or from this machine where none is shared.
func (n *node) copyRevision(st *step, name, target string) (int, error) {
	if n.executor.remote != nil {
		return n.copyFolder(st, n.path("share/in/"+name), target)
	}
	r, err := n.session.call(fmt.Sprintf("mkdir -p %[1]s && cp -R -P -p %[2]s/. %[1]s/", quote(target),
		n.share+"/in/"+name), n.quiet(st))
	return r.code, err
}

func (n *node) checkedOut(st *step, target string, err error) result {
	if errors.Is(err, forge.ErrTooLarge) {
		return *failed("The revision is not checked out: %v.", err)
	}
	if err != nil {
		return n.hostResult(st, err)
	}
	st.say(fmt.Sprintf("Checked out %s to %s", n.task.Revision, target))
	return result{outcome: Success}
}

// addKeys writes private keys where ssh looks for them.
func (n *node) addKeys(st *step) result {
	var b strings.Builder
	b.WriteString(`umask 077; mkdir -p "$HOME/.ssh" && cd "$HOME/.ssh" || exit 1; `)
	added := 0
	for i, k := range n.task.Keys {
		if want := st.Keys.Fingerprints; len(want) > 0 && !slices.Contains(want, k.Fingerprint) {
			continue
		}
		added++
		name := "id_stoa_" + strconv.Itoa(i)
		host := k.Host
		if host == "" || strings.ContainsAny(host, " \t\n\r") {
			host = "*"
		}
		entry := "Host " + host + "\n  IdentityFile ~/.ssh/" + name + "\n  IdentitiesOnly no\n"
		fmt.Fprintf(&b, "printf '%%s\\n' %s > %s; printf '%%s' %s >> config; ",
			quote(strings.TrimSpace(string(k.Private))), name, quote(entry))
	}
	r, err := n.session.call(b.String(), n.quiet(st))
	switch {
	case err != nil:
		return n.ended()
	case r.code != 0:
		return result{outcome: Failed, code: r.code, reason: "The keys could not be written to ~/.ssh."}
	}
	st.say(fmt.Sprintf("Added %d keys.", added))
	return result{outcome: Success}
}
