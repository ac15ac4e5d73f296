package forge

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/identity"
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

	release, err := f.git.hold(r.Context())
	if err != nil {
		return err
	}
	defer release()

	cmd := f.serve(r.Context(), repo, service, "--advertise-refs")
	version := protocol(cmd, r.Request)
	list, err := collect(r.Context(), cmd, service, maxReport)
	if err != nil {
		return err
	}
	// Version 2 has no announcement line; version 0 and 1 begin with it.
	if version != "version=2" || service == receivePack {
		list = append([]byte(packet("# service="+service+"\n")+"0000"), list...)
	}
	noCache(w)
	return wire.WriteBytes(w, plain(r.Request), http.StatusOK, "application/x-"+service+"-advertisement", list)
}

// handleUploadPack sends what a clone or fetch asks for, as git packs it.
func (f *Forge) handleUploadPack(w http.ResponseWriter, r *route.Request) error {
	repo, err := f.open(r, false)
	if err != nil {
		return err
	}
	body, err := unpacked(r.Request, uploadPack, maxAsk)
	if err != nil {
		return err
	}
	release, err := f.git.hold(r.Context())
	if err != nil {
		return err
	}
	defer release()

	cmd := f.serve(r.Context(), repo, uploadPack)
	protocol(cmd, r.Request)
	cmd.Stdin = body
	noCache(w)
	w.Header().Set("Content-Type", "application/x-"+uploadPack+"-result")
	out := &answer{to: w}
	err = runTo(r.Context(), cmd, uploadPack, out)
	switch {
	case !misspoken(err):
		return err
	case out.begun:
		return nil // git has told the client in its own words
	}
	return errInvalid("the request is not in git's protocol")
}

// answer begins with its first byte: having no method but Write, it is not
// begun for a program that says nothing, which leaves room for an error.
type answer struct {
	to    io.Writer
	begun bool
}

// Write implements io.Writer.
func (a *answer) Write(p []byte) (int, error) {
	a.begun = true
	return a.to.Write(p)
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
	body, err := unpacked(r.Request, receivePack, f.config.MaxPush)
	if err != nil {
		return err
	}
	if body, err = checkedCommands(body, f.config.MaxRefs); err != nil {
		return err
	}

	var report []byte
	_, err = f.Receive(r.Context(), repo, ActorOf(identity.From(r)), func(ctx context.Context) (err error) {
		// Who waits for a turn takes no slot from clients of other repositories.
		release, err := f.git.hold(ctx)
		if err != nil {
			return err
		}
		defer release()
		cmd := f.serve(ctx, repo, receivePack)
		cmd.Stdin = body
		report, err = collect(ctx, cmd, receivePack, maxReport)
		return err
	})
	if err != nil && (len(report) == 0 || !isRunError(err)) {
		return err
	}
	// A program that refused has said why in its report.
	noCache(w)
	return wire.WriteBytes(w, plain(r.Request), http.StatusOK, "application/x-"+receivePack+"-result", report)
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

// serve prepares the program that answers a client.
func (f *Forge) serve(ctx context.Context, repo Repository, service string, more ...string) *exec.Cmd {
	dir := f.git.path(repo.folder)
	args := []string{
		"-c", "transfer.hideRefs=refs", "-c", "transfer.hideRefs=!refs/heads", "-c", "transfer.hideRefs=!refs/tags",
		"-c", "uploadpack.allowFilter=true", "-c", "receive.fsckObjects=true",
		"-c", "receive.fsck.zeroPaddedFilemode=warn", "-c", "receive.fsck.badTimezone=warn",
		"-c", "receive.fsck.missingSpaceBeforeDate=warn", "-c", "receive.autogc=false",
		"-c", "receive.maxInputSize=" + strconv.FormatInt(f.config.MaxPush, 10),
		strings.TrimPrefix(service, "git-"), "--stateless-rpc",
	}
	return f.git.command(ctx, "", append(append(args, more...), dir)...)
}

// protocol hands the client's wish for a protocol version on and returns it, if
// it is one we know: the value reaches the program's environment.
func protocol(cmd *exec.Cmd, r *http.Request) string {
	switch wish := r.Header.Get("Git-Protocol"); wish {
	case "version=0", "version=1", "version=2":
		cmd.Env = append(cmd.Env, "GIT_PROTOCOL="+wish)
		return wish
	}
	return ""
}

// unpacked is the body of a request, out of its compression, bounded.
func unpacked(r *http.Request, service string, most int64) (io.Reader, error) {
	if r.Header.Get("Content-Type") != "application/x-"+service+"-request" {
		return nil, wire.ErrMediaType
	}
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
		return r.Body, nil
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, errInvalid("the body is no gzip stream")
		}
		return io.LimitReader(z, most), nil
	}
	return nil, wire.ErrMediaType
}

// plain is the request without its wish for compression: packs do not shrink.
func plain(r *http.Request) *http.Request {
	r.Header.Del("Accept-Encoding")
	return r
}

func noCache(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-cache, max-age=0, must-revalidate")
}

// writeError answers in plain text, which git shows to the person.
func (f *Forge) writeError(w http.ResponseWriter, r *route.Request, err error) {
	status, message := classify(r, err)
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Stoa", charset="UTF-8"`)
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
		return http.StatusRequestEntityTooLarge, "the push is larger than the server takes"
	case errors.Is(err, wire.ErrMediaType):
		return http.StatusUnsupportedMediaType, "this address is for git programs"
	case errors.As(err, &syntax), errors.Is(err, wire.ErrEmptyBody):
		return http.StatusBadRequest, "the request is not well-formed"
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
