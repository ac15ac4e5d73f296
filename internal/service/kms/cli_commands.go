package kms

import (
	"context"
	"errors"
	"slices"
	"sort"
	"time"

	"stoa.dev/stoa/internal/platform/module"
)

// keyInfo is a key in the output of commands.
type keyInfo struct {
	ID        string `json:"id"`
	State     string `json:"state"`
	Provider  string `json:"provider"`
	Version   string `json:"version"`
	Created   string `json:"created"`
	Destroyed string `json:"destroyed,omitempty"`
}

func (s *Service) commands() []module.Command {
	return []module.Command{
		{
			Path: "kms keys", Short: "List the key-encryption keys, newest first",
			Flags: []module.Flag{
				{Name: "after", Help: "go on after the key with this id"},
				{Name: "limit", Kind: module.Int, Default: "0", Help: "how many at most; 0 is all"},
			},
			Run: func(ctx context.Context, in *module.Input) (any, error) {
				return s.runKeys(ctx, in.Text("after"), in.Int("limit"))
			},
		},
		{
			Path: "kms show", Short: "Show a key-encryption key",
			Args: []module.Arg{{Name: "id", Help: "the key id, as kms keys prints it"}},
			Run:  func(ctx context.Context, in *module.Input) (any, error) { return s.runShow(ctx, in.Text("id")) },
		},
		{
			Path: "kms check", Short: "Call the plugin as an API server would",
			Long: "Calls Status, Encrypt and Decrypt on the socket with the bounds and the timeout of the API server " +
				"and says what it would complain about. The socket may be any plugin's of this machine.",
			Args: []module.Arg{{Name: "socket", Help: "the path of the socket, or the endpoint unix:///PATH"}},
			Flags: []module.Flag{{
				Name: "timeout", Kind: module.Duration, Default: "3s",
				Help: "timeout of the API server's EncryptionConfiguration",
			}},
			Anywhere: true, Run: s.runCheck,
		},
		{
			Path: "kms rotate", Short: "Make a new key current",
			Long: "Makes a new key-encryption key current. Keys before it go on decrypting; callers see the new id " +
				"at their next Status and encrypt again what they store.",
			Run: func(ctx context.Context, _ *module.Input) (any, error) { return s.runRotate(ctx) },
		},
		{
			Path: "kms destroy", Short: "Destroy a key that is no longer current",
			Long: "Destroys a key-encryption key. Everything still stored under it becomes unreadable, for ever. " +
				"The id has to be typed a second time.",
			Args:    []module.Arg{{Name: "id", Help: "the key id, as kms keys prints it"}},
			Confirm: "id",
			Refuse: func(ctx context.Context, in *module.Input) error {
				return s.refuseDestroy(ctx, in.Text("id"))
			},
			Run: func(ctx context.Context, in *module.Input) (any, error) {
				return s.runDestroy(ctx, in.Text("id"))
			},
		},
	}
}

// allKeys are the keys that were current here once, newest first.
func (s *Service) allKeys(ctx context.Context) ([]keyInfo, error) {
	if s.buildErr != nil {
		return nil, commandError(s.buildErr)
	}
	// What is stored is shown also when the remote does not answer.
	unreachable := s.change(ctx, s.refresh)
	if unreachable != nil && s.keyring.Load().current == nil {
		return nil, commandError(unreachable)
	}
	r := s.keyring.Load()
	list := []keyInfo{}
	for _, k := range r.published() {
		list = append(list, r.info(k))
	}
	return list, nil
}

func (s *Service) runKeys(ctx context.Context, after string, limit int) (any, error) {
	list, err := s.allKeys(ctx)
	if err != nil {
		return nil, err
	}
	if after != "" {
		n, err := keyAt(list, after)
		if err != nil {
			return nil, err
		}
		list = list[n+1:]
	}
	if limit > 0 {
		list = list[:min(limit, len(list))]
	}
	return struct {
		Keys []keyInfo `json:"keys"`
	}{list}, nil
}

func (s *Service) runShow(ctx context.Context, id string) (any, error) {
	list, err := s.allKeys(ctx)
	if err != nil {
		return nil, err
	}
	n, err := keyAt(list, id)
	if err != nil {
		return nil, err
	}
	return list[n], nil
}

func keyAt(list []keyInfo, id string) (int, error) {
	n := slices.IndexFunc(list, func(k keyInfo) bool { return k.ID == id })
	if n < 0 {
		return n, module.Fail(module.NotFound, "see stoa kms keys", "there is no key %s", id)
	}
	return n, nil
}

// published lists the keys that were current here once, newest first.
func (r *keyring) published() []*loadedKey {
	var list []*loadedKey
	for _, k := range r.keys {
		if k.Seq > 0 || !k.DestroyedAt.IsZero() {
			list = append(list, k)
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].Seq != list[j].Seq {
			return list[i].Seq > list[j].Seq
		}
		return list[i].ID < list[j].ID
	})
	return list
}

func (r *keyring) info(k *loadedKey) keyInfo {
	i := keyInfo{
		ID: k.ID, State: "retired", Provider: k.Provider, Version: k.Version,
		Created: k.CreatedAt.UTC().Format(time.RFC3339),
	}
	switch {
	case !k.DestroyedAt.IsZero():
		i.State, i.Destroyed = "destroyed", k.DestroyedAt.UTC().Format(time.RFC3339)
	case k.broken != nil:
		i.State = "unusable"
	case k == r.current:
		i.State = "current"
	}
	return i
}

func (s *Service) runRotate(ctx context.Context) (any, error) {
	if s.buildErr != nil {
		return nil, commandError(s.buildErr)
	}
	fresh, old, err := s.Rotate(ctx)
	if err != nil {
		return nil, commandError(err)
	}
	// A remote that rotates later has no new key yet.
	return struct {
		ID       string `json:"id"`
		Previous string `json:"previous"`
		Pending  bool   `json:"pending,omitempty"`
	}{fresh.ID, old.ID, fresh.ID == old.ID}, nil
}

// refuseDestroy checks before the operator has typed the id a second time.
func (s *Service) refuseDestroy(ctx context.Context, id string) error {
	if s.buildErr != nil {
		return commandError(s.buildErr)
	}
	err := s.change(ctx, func(ctx context.Context) error {
		err := s.refresh(ctx)
		if k := s.keyring.Load().keys[id]; err == nil || k != nil {
			return s.checkDestroyable(id, k)
		}
		return err
	})
	if err != nil {
		return commandError(err)
	}
	return nil
}

func (s *Service) runDestroy(ctx context.Context, id string) (any, error) {
	if s.buildErr != nil {
		return nil, commandError(s.buildErr)
	}
	gone, err := s.Destroy(ctx, id)
	if err != nil {
		return nil, commandError(err)
	}
	return struct {
		ID        string `json:"id"`
		Destroyed string `json:"destroyed"`
	}{gone.ID, gone.DestroyedAt.UTC().Format(time.RFC3339)}, nil
}

// commandError adds an exit code and the next step.
func commandError(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return module.Fail(module.Failed, "", "%w", err)
	}
	switch e.Code {
	case CodeUnknownKey:
		return module.Fail(module.NotFound, "see stoa kms keys", "%w", err)
	case CodeUnusable:
		return module.Fail(module.Conflict, "see stoa kms keys", "%w", err)
	case CodeUnsupported:
		return module.Fail(module.Failed,
			"rotate the key with the provider's own tools; the new version is found without a restart", "%w", err)
	case CodeInvalid, CodeUnavailable, CodeUnauthenticated, CodeDenied, CodeExhausted, CodeDeadline, CodeCanceled,
		CodeInternal:
	}
	return module.Fail(module.Failed, "check the kms settings with stoa config print", "%w", err)
}
