package forge

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"os/exec"
	"strings"

	"stoa.dev/stoa/internal/forge/git"
	"stoa.dev/stoa/internal/forge/refusal"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/credential"
	"stoa.dev/stoa/internal/platform/wire"
)

// maxReport bounds git's report about a push, which is kept until the push is
// on record.
const maxReport = 16 << 20

// handleInfoRefs begins a clone, fetch or push.
func (f *Forge) handleInfoRefs(w http.ResponseWriter, r *route.Request) error {
	service := r.Query().Get("service")
	if service != git.UploadPack && service != git.ReceivePack {
		return refusal.Forbidden("this server speaks git's smart protocol only; use a git program of this century")
	}
	repo, err := f.open(r, service == git.ReceivePack)
	if err != nil {
		return err
	}

	s, err := f.git.ReadSlot(r.Context(), r.Owner(), repo.folder)
	if err != nil {
		return err
	}
	a := answer{service: service, contentType: "application/x-" + service + "-advertisement"}
	version := git.Protocol(r.Header.Get("Git-Protocol"))
	// Version 2 has no announcement line; version 0 and 1 begin with it.
	if version != "version=2" || service == git.ReceivePack {
		a.head = git.Packet("# service="+service+"\n") + "0000"
	}
	a.command = func(ctx context.Context) *exec.Cmd {
		return f.git.Serve(ctx, s, repo.folder, version, service, "--advertise-refs")
	}
	_, err = f.stream(w, r, s, a)
	return err
}

// handleUploadPack sends what a clone or fetch asks for, as git packs it.
func (f *Forge) handleUploadPack(w http.ResponseWriter, r *route.Request) error {
	repo, err := f.open(r, false)
	if err != nil {
		return err
	}
	question, err := f.readBody(w, r, git.UploadPack, maxQuestion)
	if err != nil {
		return err
	}
	defer question.Close()
	if repo, err = f.openAgain(r, false); err != nil {
		return err
	}
	s, err := f.git.ReadSlot(r.Context(), r.Owner(), repo.folder)
	if err != nil {
		return err
	}
	a := answer{service: git.UploadPack, contentType: "application/x-" + git.UploadPack + "-result"}
	a.command = func(ctx context.Context) *exec.Cmd {
		cmd := f.git.Serve(ctx, s, repo.folder, git.Protocol(r.Header.Get("Git-Protocol")), git.UploadPack)
		cmd.Stdin = question.File
		return cmd
	}
	begun, err := f.stream(w, r, s, a)
	switch {
	case !malformed(err):
		return err
	case begun:
		return nil // git has told the client in its own words
	}
	return errNotGit()
}

func errNotGit() error { return refusal.Invalid("the request is not in git's protocol") }

// malformed reports whether git could not read what the client sent.
func malformed(err error) bool {
	var failed *git.RunError
	if !errors.As(err, &failed) {
		return false
	}
	for _, words := range []string{
		"protocol error", "the remote end hung up", "not our ref", "unknown capability", "invalid command", "no command",
	} {
		if strings.Contains(failed.Stderr, words) {
			return true
		}
	}
	return false
}

// handleReceivePack takes a push. The client gets its answer when the push is
// on record, not before.
func (f *Forge) handleReceivePack(w http.ResponseWriter, r *route.Request) error {
	repo, err := f.open(r, true)
	if err != nil {
		return err
	}
	body, err := f.readBody(w, r, git.ReceivePack, f.config.MaxPush)
	if err != nil {
		return err
	}
	defer body.Close()
	if repo, err = f.openAgain(r, true); err != nil {
		return err
	}
	list, err := git.ReadPushList(bufio.NewReader(body.Reader(0)), f.config.MaxRefs)
	if err != nil {
		return err
	}

	report, failed, err := f.push(r, repo, body, list)
	if err != nil && failed == nil {
		return err // what git did is not on record
	}
	// A program that refused has said why in its report; where it could not, and
	// where it was not started, we do.
	if failed != nil && len(report) == 0 {
		report = list.Refusal(refusalOf(failed))
	}
	switch {
	case err != nil && len(report) == 0 && malformed(err):
		return errNotGit()
	case err != nil && len(report) == 0:
		return err
	}
	noCache(w)
	return wire.WriteBytes(w, plain(r.Request), http.StatusOK, "application/x-"+git.ReceivePack+"-result", report)
}

// push lets git take a push and records it. report is git's own, failed why
// nothing or not everything was taken, err that or why it is not on record.
func (f *Forge) push(
	r *route.Request, repo Repository, body *git.TempFile, list git.PushList,
) (report []byte, failed, err error) {
	_, err = f.Receive(r.Context(), repo, ActorOf(identity.From(r)), func(ctx context.Context) error {
		report, failed = f.runReceivePack(ctx, r.Owner(), repo, body, list)
		if !git.IsRunError(failed) && failed != nil {
			report = nil
		}
		return failed
	})
	return report, failed, err
}

// runReceivePack runs the program that takes a push. The slot is taken here: a push
// that waits for its turn takes none from clients of other repositories.
func (f *Forge) runReceivePack(
	ctx context.Context, owner budget.Owner, repo Repository, body *git.TempFile, list git.PushList,
) ([]byte, error) {
	s, err := f.git.PushSlot(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer s.Release()
	if err := f.checkPush(ctx, repo, s, body, list); err != nil {
		return nil, err
	}
	cmd := f.git.Serve(ctx, s, repo.folder, "", git.ReceivePack)
	cmd.Stdin = body.File
	return git.Collect(ctx, cmd, git.ReceivePack, maxReport)
}

// refusalOf is why a push was refused, in words for its sender; empty for failures
// that do not concern the sender.
func refusalOf(err error) string {
	var own *Error
	switch {
	case errors.As(refusal.FromGit(err), &own) && (own.Code == CodeTooLarge || own.Code == CodeInvalid):
		return own.Message
	case git.IsRunError(err):
		return "git could not take the push within its limits of memory and time"
	}
	return ""
}

// open finds the repository of a request and checks that the caller may do it.
// What may not be read does not exist; a caller without a credential is asked for one.
func (f *Forge) open(r *route.Request, write bool) (Repository, error) {
	name := strings.TrimSuffix(r.PathValue("repo"), ".git")
	caller := identity.From(r)
	repo, _, err := f.Find(r.Context(), r.PathValue("owner"), name)
	if errors.Is(err, ErrNotFound) && caller == nil {
		return repo, route.ErrNoCredential
	}
	if err != nil {
		return repo, err
	}
	right, err := f.gitRight(r.Context(), caller, repo)
	need := Read
	if write {
		need = Write
	}
	switch {
	case err != nil || right >= need:
		return repo, err
	case caller == nil:
		return repo, route.ErrNoCredential
	case right < Read:
		return repo, refusal.NotFound("repository", r.PathValue("owner")+"/"+name)
	}
	may := f.credentialRight(caller) >= Write
	return repo, refusal.Forbidden(refusal.Push(repo.FullName(), caller.UserName, ScopeContentsWrite, may))
}

// openAgain is open once the body is there, which may have taken minutes: what its
// beginning was allowed to do may be taken back by then.
func (f *Forge) openAgain(r *route.Request, write bool) (Repository, error) {
	if c, ok := credential.Inside(extractCredential)(r.Request); ok {
		caller, err := f.authenticate(r.Context(), c)
		if err != nil {
			return Repository{}, err
		}
		r.Caller = caller
	}
	return f.open(r, write)
}

// plain is the request without its offer of compression: packs do not shrink.
func plain(r *http.Request) *http.Request {
	r.Header.Del("Accept-Encoding")
	return r
}
