package pipelines

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

type variableRequest struct {
	Name  string  `json:"name"`
	Value *string `json:"value"`
}

func variableToWire(w *wire.Builder, v Variable) {
	w.Object().Key("name").Text(v.Name).Key("value").Text(v.Masked).End()
}

func (s *Service) handleVariables(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	list, err := s.Variables(r.Context(), repo)
	if err != nil {
		return err
	}
	out := answer(r).Array()
	for _, v := range list {
		variableToWire(out, v)
	}
	return write(w, r, http.StatusOK, out.End())
}

func (s *Service) handleSetVariable(w http.ResponseWriter, r *route.Request) error {
	return s.putVariable(w, r, "", http.StatusCreated)
}

func (s *Service) handleReplaceVariable(w http.ResponseWriter, r *route.Request) error {
	return s.putVariable(w, r, r.PathValue("name"), http.StatusOK)
}

func (s *Service) putVariable(w http.ResponseWriter, r *route.Request, name string, status int) error {
	repo, _, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	var in variableRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	if name == "" {
		name = in.Name
	}
	if in.Value == nil {
		return errInvalid("value is missing")
	}
	v, err := s.SetVariable(r.Context(), repo, name, *in.Value)
	if err != nil {
		return err
	}
	out := answer(r)
	variableToWire(out, v)
	return write(w, r, status, out)
}

func (s *Service) handleVariable(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	v, err := s.Variable(r.Context(), repo, r.PathValue("name"))
	if err != nil {
		return err
	}
	out := answer(r)
	variableToWire(out, v)
	return write(w, r, http.StatusOK, out)
}

func (s *Service) handleDeleteVariable(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightWrite)
	if err != nil {
		return err
	}
	if err := s.DeleteVariable(r.Context(), repo, r.PathValue("name")); err != nil {
		return err
	}
	return message(w, r, "ok")
}

// keyToWire writes a checkout key; the digest is the caller's choice.
func (s *Service) keyToWire(w *wire.Builder, k Key, digest string) {
	w.Object()
	putText(w, "public_key", k.PublicKey)
	kind := string(k.Kind)
	if k.Kind == UserKey {
		kind = s.words.userKey
	}
	putText(w, "type", kind)
	if digest == "sha256" {
		putText(w, "fingerprint", k.SHA256)
	} else {
		putText(w, "fingerprint", k.MD5)
	}
	putBool(w, "preferred", k.Preferred)
	putTime(w, "time", k.CreatedAt)
	if k.Login != "" {
		putText(w, "login", k.Login)
	}
	w.End()
}

func readDigest(r *route.Request) (string, error) {
	switch digest := r.Query().Get("digest"); digest {
	case "", "md5", "sha256":
		return digest, nil
	default:
		return "", errInvalid("digest must be md5 or sha256, not " + clip(digest))
	}
}

func (s *Service) handleCheckoutKeys(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightRead)
	if err != nil {
		return err
	}
	digest, err := readDigest(r)
	if err != nil {
		return err
	}
	list, err := s.CheckoutKeys(r.Context(), repo)
	if err != nil {
		return err
	}
	out := answer(r).Array()
	for _, k := range list {
		s.keyToWire(out, k, digest)
	}
	return write(w, r, http.StatusOK, out.End())
}

type checkoutKeyRequest struct {
	Type string `json:"type"`
}

func (s *Service) handleCreateCheckoutKey(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.targetOf(r, rightAdmin)
	if err != nil {
		return err
	}
	in := checkoutKeyRequest{Type: string(DeployKey)}
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty()); err != nil {
		return err
	}
	kind, login := DeployKey, ""
	switch {
	case in.Type == string(UserKey), slices.Contains(s.words.userKeys, in.Type):
		kind, login = UserKey, identity.From(r).UserName
	case in.Type != string(DeployKey):
		return errInvalid("type must be deploy-key or " + s.words.userKey + ", not " + clip(in.Type))
	}
	k, err := s.CreateCheckoutKey(r.Context(), repo, kind, login)
	if err != nil {
		return err
	}
	out := answer(r)
	s.keyToWire(out, k, "")
	return write(w, r, http.StatusCreated, out)
}

// fingerprint is the one of a path; the slashes of base64 may be encoded twice
// by careful clients.
func fingerprint(r *route.Request) string {
	text := r.PathValue("fingerprint")
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

func (s *Service) handleCheckoutKey(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightRead)
	if err != nil {
		return err
	}
	digest, err := readDigest(r)
	if err != nil {
		return err
	}
	k, err := s.CheckoutKey(r.Context(), repo, fingerprint(r))
	if err != nil {
		return err
	}
	out := answer(r)
	s.keyToWire(out, k, digest)
	return write(w, r, http.StatusOK, out)
}

func (s *Service) handleDeleteCheckoutKey(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightAdmin)
	if err != nil {
		return err
	}
	if err := s.DeleteCheckoutKey(r.Context(), repo, fingerprint(r)); err != nil {
		return err
	}
	return message(w, r, "ok")
}

type sshKeyRequest struct {
	Hostname    string `json:"hostname"`
	PrivateKey  string `json:"private_key"`
	Fingerprint string `json:"fingerprint"`
}

func (s *Service) handleCreateSSHKey(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightAdmin)
	if err != nil {
		return err
	}
	var in sshKeyRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	k, err := s.AddHostKey(r.Context(), repo, in.Hostname, in.PrivateKey)
	if err != nil {
		return err
	}
	out := answer(r).Object().Key("hostname").Text(k.Hostname).Key("public_key").Text(k.PublicKey).Key("fingerprint").Text(k.MD5).End()
	return write(w, r, http.StatusCreated, out)
}

// handleDeleteSSHKey takes what to delete from the body or, for clients that
// send none with DELETE, from the query.
func (s *Service) handleDeleteSSHKey(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.target(r, rightAdmin)
	if err != nil {
		return err
	}
	var in sshKeyRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty()); err != nil {
		return err
	}
	if in.Hostname == "" && in.Fingerprint == "" {
		in.Hostname, in.Fingerprint = r.Query().Get("hostname"), r.Query().Get("fingerprint")
	}
	if err := s.DeleteHostKey(r.Context(), repo, in.Hostname, in.Fingerprint); err != nil {
		return err
	}
	return message(w, r, "ok")
}

func (s *Service) handleTokens(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.targetOf(r, rightAdmin)
	if err != nil {
		return err
	}
	list, err := tokensOf(r.Context(), s.world.DB, repo.ID)
	if err != nil {
		return err
	}
	out := answer(r).Array()
	for _, t := range list {
		tokenToWire(out, t, "")
	}
	return write(w, r, http.StatusOK, out.End())
}

// tokenToWire shows a token; its secret only when it was just made.
func tokenToWire(w *wire.Builder, t projectToken, secret string) {
	w.Object()
	putInt(w, "id", t.id)
	putText(w, "label", t.label)
	putText(w, "scope", t.scope)
	if secret != "" {
		putText(w, "token", secret)
	} else {
		putText(w, "token", "xxxx"+t.tail)
	}
	putTime(w, "time", t.createdAt)
	w.End()
}

type tokenRequest struct {
	Label string `json:"label"`
	Scope string `json:"scope"`
}

func (s *Service) handleCreateToken(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.targetOf(r, rightAdmin)
	if err != nil {
		return err
	}
	in := tokenRequest{Scope: ScopeRead}
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return err
	}
	if !slices.Contains([]string{ScopeStatus, ScopeRead, ScopeAll}, in.Scope) || in.Label == "" || len(in.Label) > 200 {
		return errInvalid("scope must be status, view-builds or all, and label a short text")
	}
	t, secret, err := s.createToken(r.Context(), repo, identity.From(r), in)
	if err != nil {
		return err
	}
	out := answer(r)
	tokenToWire(out, t, secret)
	return write(w, r, http.StatusCreated, out)
}

// createToken makes a token of a project; it dies with its maker's account.
func (s *Service) createToken(ctx context.Context, repo forge.Repository, c *identity.Caller, in tokenRequest) (t projectToken, secret string, err error) {
	err = s.change(ctx, repo.ID, func(ctx context.Context, tx *database.Tx) error {
		var issued identity.Token
		issued, secret, err = s.identity.IssueTokenIn(ctx, tx, identity.IssueOptions{
			Kind: identity.KindProject, Services: []string{Name}, Scopes: []string{in.Scope}, UserID: c.UserID, Repo: repo.FullName(), Note: in.Label,
		})
		if err != nil {
			return err
		}
		t = projectToken{id: issued.ID, label: in.Label, scope: in.Scope, tail: secret[len(secret)-4:], createdAt: s.now()}
		return insertToken(ctx, tx, repo.ID, t)
	})
	return t, secret, err
}

func (s *Service) handleDeleteToken(w http.ResponseWriter, r *route.Request) error {
	repo, _, err := s.targetOf(r, rightAdmin)
	if err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return errNotFound("Token")
	}
	err = s.change(r.Context(), repo.ID, func(ctx context.Context, tx *database.Tx) error {
		gone, err := deleteToken(r.Context(), tx, repo.ID, id)
		if err == nil && !gone {
			return errNotFound("Token")
		}
		if err != nil {
			return err
		}
		return s.identity.RevokeTokenIn(r.Context(), tx, id)
	})
	if err != nil {
		return err
	}
	return message(w, r, "ok")
}
