package pipelines

import (
	"net/url"
	"slices"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/project"
	"stoa.dev/stoa/internal/service/pipelines/refusal"
)

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
