package pipelines

import (
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

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
