package forge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/budget"
	"stoa.dev/stoa/internal/platform/limit"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

const (
	uploadPack  = "git-upload-pack"
	receivePack = "git-receive-pack"
)

// maxReport bounds git's report about a push, which is kept until the push is
// on record.
const maxReport = 16 << 20

// handleInfoRefs begins a clone, fetch or push.
func (f *Forge) handleInfoRefs(w http.ResponseWriter, r *route.Request) error {
	service := r.Query().Get("service")
	if service != uploadPack && service != receivePack {
		return errForbidden("this server speaks git's smart protocol only; use a git program of this century")
	}
	repo, err := f.open(r, service == receivePack)
	if err != nil {
		return err
	}

	p, err := f.clientPlace(r, repo)
	if err != nil {
		return err
	}
	a := answer{service: service, contentType: "application/x-" + service + "-advertisement"}
	version := protocol(r.Request)
	// Version 2 has no announcement line; version 0 and 1 begin with it.
	if version != "version=2" || service == receivePack {
		a.head = packet("# service="+service+"\n") + "0000"
	}
	a.command = func(ctx context.Context) *exec.Cmd {
		return f.serve(ctx, p, repo, version, service, "--advertise-refs")
	}
	_, err = f.stream(w, r, p, a)
	return err
}

// handleUploadPack sends what a clone or fetch asks for, as git packs it.
func (f *Forge) handleUploadPack(w http.ResponseWriter, r *route.Request) error {
	repo, err := f.open(r, false)
	if err != nil {
		return err
	}
	ask, err := f.spooled(w, r, uploadPack, maxAsk)
	if err != nil {
		return err
	}
	defer ask.close()
	p, err := f.clientPlace(r, repo)
	if err != nil {
		return err
	}
	a := answer{service: uploadPack, contentType: "application/x-" + uploadPack + "-result"}
	a.command = func(ctx context.Context) *exec.Cmd {
		cmd := f.serve(ctx, p, repo, protocol(r.Request), uploadPack)
		cmd.Stdin = ask.file
		return cmd
	}
	begun, err := f.stream(w, r, p, a)
	switch {
	case !misspoken(err):
		return err
	case begun:
		return nil // git has told the client in its own words
	}
	return errInvalid("the request is not in git's protocol")
}

// clientPlace waits for a place for a program that reads a repository for a
// client.
func (f *Forge) clientPlace(r *route.Request, repo Repository) (place, error) {
	return f.git.places.take(r.Context(), f.git.places.clients, r.Owner(), f.git.weight(repo.folder))
}

// misspoken tells that git could not make sense of what the client sent.
func misspoken(err error) bool {
	var failed *runError
	if !errors.As(err, &failed) {
		return false
	}
	for _, words := range []string{"protocol error", "the remote end hung up", "not our ref", "unknown capability", "invalid command", "no command"} {
		if strings.Contains(failed.complaint, words) {
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
	body, err := f.spooled(w, r, receivePack, f.config.MaxPush)
	if err != nil {
		return err
	}
	defer body.close()
	list, err := readPushList(bufio.NewReader(body.reader(0)), f.config.MaxRefs)
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
		report = list.refusal(refusalOf(failed))
	}
	if err != nil && len(report) == 0 {
		return err
	}
	noCache(w)
	return wire.WriteBytes(w, plain(r.Request), http.StatusOK, "application/x-"+receivePack+"-result", report)
}

// push lets git take a push and records it. report is git's own, failed why
// nothing or not everything was taken, err that or why it is not on record.
func (f *Forge) push(r *route.Request, repo Repository, body *spool, list pushList) (report []byte, failed, err error) {
	_, err = f.Receive(r.Context(), repo, ActorOf(identity.From(r)), func(ctx context.Context) error {
		report, failed = f.receivePack(ctx, r.Owner(), repo, body, list)
		if !isRunError(failed) && failed != nil {
			report = nil
		}
		return failed
	})
	return report, failed, err
}

// receivePack runs the program that takes a push. Who waits for a turn takes no
// place from clients of other repositories: it is taken here.
func (f *Forge) receivePack(ctx context.Context, owner budget.Owner, repo Repository, body *spool, list pushList) ([]byte, error) {
	p, err := f.git.places.take(ctx, f.git.places.clients, owner, pushWeight)
	if err != nil {
		return nil, err
	}
	defer p.Release()
	if err := f.checkPush(ctx, repo, p, body, list); err != nil {
		return nil, err
	}
	cmd := f.serve(ctx, p, repo, "", receivePack)
	cmd.Stdin = body.file
	return collect(ctx, cmd, receivePack, maxReport)
}

// refusalOf is why a push was refused, in words for the one who pushed; empty
// for failures that are none of theirs to know.
func refusalOf(err error) string {
	var own *Error
	switch {
	case errors.As(err, &own) && (own.Code == CodeTooLarge || own.Code == CodeInvalid):
		return own.Message
	case isRunError(err):
		return "git could not take the push within its limits of memory and time"
	}
	return ""
}

// open finds the repository of a request and checks that the caller may do it.
// What may not be read does not exist; who has not said who they are is asked.
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
		return repo, errNotFound("repository", r.PathValue("owner")+"/"+name)
	}
	return repo, errForbidden("this token may not push to " + repo.FullName())
}

// serve prepares the program that answers a client, with the version of the
// protocol that the client wishes.
func (f *Forge) serve(ctx context.Context, p place, repo Repository, version, service string, more ...string) *exec.Cmd {
	dir := f.git.path(repo.folder)
	args := []string{
		"-c", "transfer.hideRefs=refs", "-c", "transfer.hideRefs=!refs/heads", "-c", "transfer.hideRefs=!refs/tags",
		"-c", "uploadpack.allowFilter=true", "-c", "uploadpackfilter.allow=false",
		"-c", "uploadpackfilter.blob:none.allow=true", "-c", "uploadpackfilter.blob:limit.allow=true",
		"-c", "uploadpackfilter.tree.allow=true", "-c", "uploadpackfilter.object:type.allow=true", "-c", "receive.fsckObjects=true",
		"-c", "receive.fsck.zeroPaddedFilemode=warn", "-c", "receive.fsck.badTimezone=warn",
		"-c", "receive.fsck.missingSpaceBeforeDate=warn", "-c", "receive.autogc=false",
		"-c", "receive.maxInputSize=" + strconv.FormatInt(f.config.MaxPush, 10),
		strings.TrimPrefix(service, "git-"), "--stateless-rpc",
	}
	cmd := f.git.command(ctx, p, "", append(append(args, more...), dir)...)
	if version != "" {
		cmd.Env = append(cmd.Env, "GIT_PROTOCOL="+version)
	}
	return cmd
}

// protocol is the client's wish for a protocol version, if it is one we know:
// the value reaches the program's environment.
func protocol(r *http.Request) string {
	switch wish := r.Header.Get("Git-Protocol"); wish {
	case "version=0", "version=1", "version=2":
		return wish
	}
	return ""
}

// plain is the request without its wish for compression: packs do not shrink.
func plain(r *http.Request) *http.Request {
	r.Header.Del("Accept-Encoding")
	return r
}

// writeError answers in plain text, which git shows to the person.
func (f *Forge) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, message := classify(r, err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Stoa", charset="UTF-8"`)
	}
	var busy *limit.Exceeded
	if errors.As(err, &busy) {
		w.Header().Set("Retry-After", strconv.FormatInt(int64(math.Ceil(busy.RetryAfter.Seconds())), 10))
	}
	w.Header().Set("Cache-Control", "no-store")
	// The connection is all that can fail here, and then nobody is listening.
	_ = wire.WriteBytes(w, r.Request, status, "text/plain; charset=utf-8", []byte(message+"\n"))
}

// classify is the one place that knows which failure has which status.
func classify(r *route.Request, err error) (status int, message string) {
	var own *Error
	var method *route.MethodError
	var bad *route.CredentialError
	var syntax *wire.SyntaxError
	var scope *route.ScopeError
	var busy *limit.Exceeded
	switch {
	case errors.Is(err, route.ErrNoCredential):
		return http.StatusUnauthorized, "send a token as the password, with any user name"
	case errors.As(err, &bad):
		return http.StatusUnauthorized, "the token is " + string(bad.Reason)
	case errors.As(err, &own):
		return statusOf(own.Code), own.Message
	case errors.Is(err, route.ErrNoRoute):
		return http.StatusNotFound, "there is nothing here"
	case errors.As(err, &method):
		return http.StatusMethodNotAllowed, "this address takes " + strings.Join(method.Allow, ", ")
	case errors.Is(err, wire.ErrTooLarge):
		return http.StatusRequestEntityTooLarge, "the request is larger than the server takes"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "this address is for git programs"
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "the request is not well-formed"
	case errors.As(err, &scope):
		return http.StatusForbidden, scope.Error()
	case errors.As(err, &busy):
		return http.StatusTooManyRequests, fmt.Sprintf("the limit of %s is reached; try again in %s", busy.Name, busy.RetryAfter.Round(time.Second))
	case errors.Is(err, route.ErrDeadline):
		return http.StatusGatewayTimeout, "it took longer than it may"
	case errors.Is(err, route.ErrClientGone):
		return route.StatusClientGone, "the client closed the request"
	}
	return http.StatusInternalServerError, "internal error; the log names the cause under request id " + r.ID
}

func statusOf(code Code) int {
	switch code {
	case CodeNotFound:
		return http.StatusNotFound
	case CodeTaken:
		return http.StatusConflict
	case CodeInvalid:
		return http.StatusBadRequest
	case CodeForbidden:
		return http.StatusForbidden
	case CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
