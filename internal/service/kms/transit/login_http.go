package transit

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/service/kms/provider"
)

// session keeps one token and renews it.
type session struct {
	config Config
	clock  clock.Clock
	send   func(ctx context.Context, method, path, token string, body, out any) error

	mu      sync.Mutex
	current string
	// renewAt and endsAt are zero for tokens without an end.
	renewAt, endsAt time.Time
	renewable       bool
}

// lease is a token and how long it is valid, in seconds.
type lease struct {
	token     string
	seconds   int64
	renewable bool
}

// token is the current token, or a new one when that is about to end.
func (s *session) token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	if s.current == "" {
		return s.begin(ctx, now)
	}
	if s.renewAt.IsZero() || now.Before(s.renewAt) {
		return s.current, nil
	}
	if s.renewable {
		got, err := s.renew(ctx)
		if err == nil {
			s.store(got, now)
			return s.current, nil
		}
		if s.config.RoleID == "" && now.Before(s.endsAt) {
			// It is still valid; the next call tries again.
			return s.current, nil
		}
	}
	return s.begin(ctx, now)
}

// forget drops a token that the server refused and reports whether another one
// is possible: a fixed token cannot be replaced.
func (s *session) forget(token string) bool {
	if s.config.Token != "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == token {
		s.current = ""
	}
	return true
}

// begin gets a token in the configured way.
func (s *session) begin(ctx context.Context, now time.Time) (string, error) {
	got, err := s.obtain(ctx)
	if err != nil {
		return "", err
	}
	s.store(got, now)
	return s.current, nil
}

func (s *session) obtain(ctx context.Context) (lease, error) {
	if s.config.RoleID != "" {
		return s.login(ctx)
	}
	token := s.config.Token
	if s.config.TokenFile != "" {
		var err error
		if token, err = secretFile(s.config.TokenFile, "token"); err != nil {
			return lease{}, err
		}
	}
	return s.lookup(ctx, token)
}

// secretFile reads a secret that another program keeps up to date.
func secretFile(path, what string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", provider.NewError(provider.Unauthenticated, err, "transit: the %s file cannot be read", what)
	}
	return strings.TrimSpace(string(text)), nil
}

// store keeps the token and when to renew it: after two thirds of its life.
func (s *session) store(got lease, now time.Time) {
	s.current, s.renewable = got.token, got.renewable
	s.renewAt, s.endsAt = time.Time{}, time.Time{}
	if got.seconds > 0 {
		life := time.Duration(got.seconds) * time.Second
		s.renewAt, s.endsAt = now.Add(life*2/3), now.Add(life)
	}
}

type authAnswer struct {
	Auth struct {
		ClientToken   string `json:"client_token"`
		LeaseDuration int64  `json:"lease_duration"`
		Renewable     bool   `json:"renewable"`
	} `json:"auth"`
}

func (a authAnswer) lease() (lease, error) {
	if a.Auth.ClientToken == "" {
		return lease{}, provider.NewError(provider.Unauthenticated, nil, "transit: the server gave no token")
	}
	return lease{token: a.Auth.ClientToken, seconds: a.Auth.LeaseDuration, renewable: a.Auth.Renewable}, nil
}

// login exchanges the role and its secret for a token.
func (s *session) login(ctx context.Context) (lease, error) {
	secret := s.config.SecretID
	if s.config.SecretIDFile != "" {
		var err error
		if secret, err = secretFile(s.config.SecretIDFile, "secret id"); err != nil {
			return lease{}, err
		}
	}
	body := map[string]string{"role_id": s.config.RoleID, "secret_id": secret}
	var got authAnswer
	if err := s.send(ctx, http.MethodPost, "auth/"+s.config.AuthMount+"/login", "", body, &got); err != nil {
		if kind := provider.KindOf(err); kind == provider.Refused || kind == provider.Denied {
			return lease{}, provider.NewError(provider.Unauthenticated, err,
				"transit: the server refused the role's login")
		}
		return lease{}, err
	}
	return got.lease()
}

// lookup asks how long a given token is valid.
func (s *session) lookup(ctx context.Context, token string) (lease, error) {
	var got struct {
		Data struct {
			TTL       int64 `json:"ttl"`
			Renewable bool  `json:"renewable"`
		} `json:"data"`
	}
	err := s.send(ctx, http.MethodGet, "auth/token/lookup-self", token, nil, &got)
	if kind := provider.KindOf(err); err != nil && kind != provider.Denied {
		return lease{}, err
	}
	// A policy may forbid the look-up; then the token is used as it is.
	return lease{token: token, seconds: got.Data.TTL, renewable: got.Data.Renewable}, nil
}

func (s *session) renew(ctx context.Context) (lease, error) {
	var got authAnswer
	if err := s.send(ctx, http.MethodPost, "auth/token/renew-self", s.current, struct{}{}, &got); err != nil {
		return lease{}, err
	}
	return got.lease()
}
