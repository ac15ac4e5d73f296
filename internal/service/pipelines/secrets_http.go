package pipelines

import (
	"net/url"
	"slices"
	"strconv"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

type variableRequest struct {
	Name  string  `json:"name"`
	Value *string `json:"value"`
}

type variableJSON struct {
	Name  string    `json:"name"`
	Value wire.Text `json:"value"`
}

func variableToWire(v project.Variable) variableJSON {
	return variableJSON{v.Name, wire.Text(v.Masked)}
}

func (s *Service) handleVariables(r *route.Request, t target) (any, error) {
	list, err := s.projects.Variables(r.Context(), t.repo)
	if err != nil {
		return nil, err
	}
	return each(list, variableToWire), nil
}

// each converts a list, which is never null.
func each[T, J any](list []T, toWire func(T) J) []J {
	out := make([]J, 0, len(list))
	for _, one := range list {
		out = append(out, toWire(one))
	}
	return out
}

func (s *Service) handleSetVariable(r *route.Request, t target) (any, error) {
	return s.setVariable(r, t, "")
}

func (s *Service) handleReplaceVariable(r *route.Request, t target) (any, error) {
	return s.setVariable(r, t, r.PathValue("name"))
}

func (s *Service) setVariable(r *route.Request, t target, name string) (any, error) {
	var in variableRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	if name == "" {
		name = in.Name
	}
	if in.Value == nil {
		return nil, errInvalid("value is missing")
	}
	v, err := s.projects.SetVariable(r.Context(), t.repo, name, *in.Value)
	if err != nil {
		return nil, err
	}
	return variableToWire(v), nil
}

func (s *Service) handleVariable(r *route.Request, t target) (any, error) {
	v, err := s.projects.Variable(r.Context(), t.repo, r.PathValue("name"))
	if err != nil {
		return nil, err
	}
	return variableToWire(v), nil
}

func (s *Service) handleDeleteVariable(r *route.Request, t target) (any, error) {
	if err := s.projects.DeleteVariable(r.Context(), t.repo, r.PathValue("name")); err != nil {
		return nil, err
	}
	return messageJSON{"ok"}, nil
}

type checkoutKeyJSON struct {
	PublicKey   string    `json:"public_key"`
	Type        string    `json:"type"`
	Fingerprint string    `json:"fingerprint"`
	Preferred   bool      `json:"preferred"`
	Time        optional  `json:"time"`
	Login       wire.Text `json:"login,omitempty"`
}

// checkoutKeyToWire shows the fingerprint in the digest that the caller chose.
func (s *Service) checkoutKeyToWire(k project.Key, digest string) checkoutKeyJSON {
	out := checkoutKeyJSON{
		PublicKey: k.PublicKey, Type: string(k.Kind), Fingerprint: k.MD5, Preferred: k.Preferred,
		Time: stamp(k.CreatedAt), Login: wire.Text(k.Login),
	}
	if k.Kind == project.UserKey {
		out.Type = s.words.userKey
	}
	if digest == "sha256" {
		out.Fingerprint = k.SHA256
	}
	return out
}

func readDigest(r *route.Request) (string, error) {
	switch digest := r.Query().Get("digest"); digest {
	case "", "md5", "sha256":
		return digest, nil
	default:
		return "", errInvalid("digest must be md5 or sha256, not %s", refusal.Quote(digest))
	}
}

func (s *Service) handleCheckoutKeys(r *route.Request, t target) (any, error) {
	digest, err := readDigest(r)
	if err != nil {
		return nil, err
	}
	list, err := s.projects.CheckoutKeys(r.Context(), t.repo)
	if err != nil {
		return nil, err
	}
	return each(list, func(k project.Key) checkoutKeyJSON { return s.checkoutKeyToWire(k, digest) }), nil
}

type checkoutKeyRequest struct {
	Type string `json:"type"`
}

func (s *Service) handleCreateCheckoutKey(r *route.Request, t target) (any, error) {
	in := checkoutKeyRequest{Type: string(project.DeployKey)}
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty()); err != nil {
		return nil, err
	}
	kind, login := project.DeployKey, ""
	switch {
	case in.Type == string(project.UserKey), slices.Contains(s.words.userKeys, in.Type):
		kind, login = project.UserKey, t.caller.UserName
	case in.Type != string(project.DeployKey):
		return nil, errInvalid("type must be deploy-key or %s, not %s", s.words.userKey, refusal.Quote(in.Type))
	}
	k, err := s.projects.CreateCheckoutKey(r.Context(), t.repo, kind, login)
	if err != nil {
		return nil, err
	}
	return s.checkoutKeyToWire(k, ""), nil
}

// fingerprintOf is the fingerprint of a path; the slashes of base64 may be encoded twice by careful clients.
func fingerprintOf(r *route.Request) string {
	text := r.PathValue("fingerprint")
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

func (s *Service) handleCheckoutKey(r *route.Request, t target) (any, error) {
	digest, err := readDigest(r)
	if err != nil {
		return nil, err
	}
	k, err := s.projects.CheckoutKey(r.Context(), t.repo, fingerprintOf(r))
	if err != nil {
		return nil, err
	}
	return s.checkoutKeyToWire(k, digest), nil
}

func (s *Service) handleDeleteCheckoutKey(r *route.Request, t target) (any, error) {
	if err := s.projects.DeleteCheckoutKey(r.Context(), t.repo, fingerprintOf(r)); err != nil {
		return nil, err
	}
	return messageJSON{"ok"}, nil
}

type sshKeyRequest struct {
	Hostname    string `json:"hostname"`
	PrivateKey  string `json:"private_key"`
	Fingerprint string `json:"fingerprint"`
}

type sshKeyJSON struct {
	Hostname    wire.Text `json:"hostname"`
	PublicKey   string    `json:"public_key"`
	Fingerprint string    `json:"fingerprint"`
}

func sshKeyToWire(k project.Key) sshKeyJSON {
	return sshKeyJSON{wire.Text(k.Hostname), k.PublicKey, k.MD5}
}

func (s *Service) handleCreateSSHKey(r *route.Request, t target) (any, error) {
	var in sshKeyRequest
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	k, err := s.projects.AddHostKey(r.Context(), t.repo, in.Hostname, in.PrivateKey)
	if err != nil {
		return nil, err
	}
	return sshKeyToWire(k), nil
}

// handleDeleteSSHKey takes what to delete from the body or, for clients that send none with DELETE, from the query.
func (s *Service) handleDeleteSSHKey(r *route.Request, t target) (any, error) {
	var in sshKeyRequest
	if err := wire.ReadJSON(r.Request, &in, wire.AllowEmpty()); err != nil {
		return nil, err
	}
	if in.Hostname == "" && in.Fingerprint == "" {
		in.Hostname, in.Fingerprint = r.Query().Get("hostname"), r.Query().Get("fingerprint")
	}
	if err := s.projects.DeleteHostKey(r.Context(), t.repo, in.Hostname, in.Fingerprint); err != nil {
		return nil, err
	}
	return messageJSON{"ok"}, nil
}

type tokenJSON struct {
	ID    int64     `json:"id"`
	Label wire.Text `json:"label"`
	Scope string    `json:"scope"`
	Token string    `json:"token"`
	Time  optional  `json:"time"`
}

// tokenToWire shows a token; its secret only when it was just made.
func tokenToWire(t project.Token, secret string) tokenJSON {
	if secret == "" {
		secret = "xxxx" + t.Tail
	}
	return tokenJSON{t.ID, wire.Text(t.Label), t.Scope, secret, stamp(t.CreatedAt)}
}

func (s *Service) handleTokens(r *route.Request, t target) (any, error) {
	list, err := s.projects.Tokens(r.Context(), t.repo)
	if err != nil {
		return nil, err
	}
	return each(list, func(t project.Token) tokenJSON { return tokenToWire(t, "") }), nil
}

type tokenRequest struct {
	Label string `json:"label"`
	Scope string `json:"scope"`
}

func (s *Service) handleCreateToken(r *route.Request, t target) (any, error) {
	in := tokenRequest{Scope: project.ScopeRead}
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return nil, err
	}
	made, secret, err := s.projects.CreateToken(r.Context(), t.repo, t.caller.UserID, in.Label, in.Scope)
	if err != nil {
		return nil, err
	}
	return tokenToWire(made, secret), nil
}

func (s *Service) handleDeleteToken(r *route.Request, t target) (any, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return nil, errNotFound("Token not found")
	}
	if err := s.projects.DeleteToken(r.Context(), t.repo, id); err != nil {
		return nil, err
	}
	return messageJSON{"ok"}, nil
}
