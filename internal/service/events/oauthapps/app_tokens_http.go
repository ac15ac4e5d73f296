package oauthapps

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
	"stoa.dev/stoa/internal/service/events/objects"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

// Routes are the operations by which an application looks after its tokens.
func (a *Apps) Routes() []route.Route {
	const token = "/applications/{client_id}/token"
	return []route.Route{
		a.host.Change("POST", token, "check_app_token", a.handleCheck),
		a.host.Change("PATCH", token, "reset_app_token", a.handleReset),
		a.host.Change("DELETE", token, "delete_app_token", a.handleDelete),
		a.host.Change("DELETE", "/applications/{client_id}/grant", "delete_app_grant", a.handleDeleteGrant),
	}
}

// authorizationJSON is a token as its application sees it.
type authorizationJSON struct {
	ID             int64         `json:"id"`
	URL            string        `json:"url"`
	Scopes         []string      `json:"scopes"`
	Token          string        `json:"token"`
	TokenLastEight string        `json:"token_last_eight"`
	HashedToken    string        `json:"hashed_token"`
	App            appJSON       `json:"app"`
	Note           *string       `json:"note"`
	NoteURL        *string       `json:"note_url"`
	UpdatedAt      time.Time     `json:"updated_at"`
	CreatedAt      time.Time     `json:"created_at"`
	Fingerprint    *string       `json:"fingerprint"`
	ExpiresAt      *time.Time    `json:"expires_at"`
	User           *objects.User `json:"user"`
}

type appJSON struct {
	ClientID string `json:"client_id"`
	Name     string `json:"name"`
	URL      string `json:"url"`
}

// presented reads the token that a request is about and checks that it is good and the calling client's.
func (a *Apps) presented(ctx context.Context, tx *database.Tx, client, secret string) (identity.Token, error) {
	t, err := a.host.Identity.TokenBySecretIn(ctx, tx, secret)
	if errors.Is(err, identity.ErrUnknown) || errors.Is(err, identity.ErrNotFound) ||
		err == nil && (t.ClientID != client || t.Kind != identity.KindAccess || !t.Alive(a.host.Now())) {
		return t, refusal.NotFound()
	}
	return t, err
}

// read is the calling client and the token of the body.
func (a *Apps) read(r *route.Request) (client, secret string, err error) {
	c := identity.From(r)
	if c == nil || c.Kind != identity.KindClient || c.ClientID != r.PathValue("client_id") {
		return "", "", refusal.NotFound()
	}
	var in struct {
		AccessToken string `json:"access_token"`
	}
	if err := wire.ReadJSON(r.Request, &in); err != nil {
		return "", "", err
	}
	if in.AccessToken == "" {
		return "", "", refusal.Invalid("access_token", "access_token is required")
	}
	return c.ClientID, in.AccessToken, nil
}

// change runs a change of the token that a request is about.
func (a *Apps) change(r *route.Request, fn func(context.Context, *database.Tx, identity.Token) error) error {
	client, secret, err := a.read(r)
	if err != nil {
		return err
	}
	return a.host.DB.Write(r.Context(), func(ctx context.Context, tx *database.Tx) error {
		t, err := a.presented(ctx, tx, client, secret)
		if err != nil {
			return err
		}
		return fn(ctx, tx, t)
	})
}

func (a *Apps) handleCheck(r *route.Request) (operation.Result, error) {
	client, secret, err := a.read(r)
	if err != nil {
		return operation.Result{}, err
	}
	var t identity.Token
	err = a.host.DB.Read(r.Context(), func(ctx context.Context, tx *database.Tx) error {
		t, err = a.presented(ctx, tx, client, secret)
		return err
	})
	if err != nil {
		return operation.Result{}, err
	}
	return a.show(r, t, secret)
}

func (a *Apps) handleReset(r *route.Request) (operation.Result, error) {
	var fresh identity.Token
	var secret string
	err := a.change(r, func(ctx context.Context, tx *database.Tx, old identity.Token) (err error) {
		if err := a.host.Identity.RevokeTokenByHandIn(ctx, tx, old.ID); err != nil {
			return err
		}
		o := identity.IssueOptions{
			Kind: old.Kind, Services: old.Services, Scopes: old.Scopes, Asked: old.Asked, UserID: old.UserID,
			ClientID: old.ClientID, Family: old.Family,
		}
		if !old.ExpiresAt.IsZero() {
			o.TTL = old.ExpiresAt.Sub(old.CreatedAt)
		}
		fresh, secret, err = a.host.Identity.IssueTokenIn(ctx, tx, o)
		return err
	})
	if err != nil {
		return operation.Result{}, err
	}
	return a.show(r, fresh, secret)
}

func (a *Apps) handleDelete(r *route.Request) (operation.Result, error) {
	err := a.change(r, func(ctx context.Context, tx *database.Tx, t identity.Token) error {
		return a.host.Identity.RevokeTokenByHandIn(ctx, tx, t.ID)
	})
	return operation.Result{Status: http.StatusNoContent}, err
}

// handleDeleteGrant ends every token that the application has for the user.
func (a *Apps) handleDeleteGrant(r *route.Request) (operation.Result, error) {
	err := a.change(r, func(ctx context.Context, tx *database.Tx, t identity.Token) error {
		return a.grants.RevokeClientIn(ctx, tx, t)
	})
	return operation.Result{Status: http.StatusNoContent}, err
}

// show describes a token.
func (a *Apps) show(r *route.Request, t identity.Token, secret string) (operation.Result, error) {
	client, err := a.host.Identity.Client(r.Context(), t.ClientID)
	if err != nil {
		return operation.Result{}, err
	}
	user, err := a.host.Identity.User(r.Context(), t.UserID)
	if err != nil {
		return operation.Result{}, err
	}
	base := a.host.Base(r)
	owner := objects.NewUser(user.ID, user.Name, "User", base)
	sum := sha256.Sum256([]byte(secret))
	out := authorizationJSON{
		ID: t.ID, URL: base + "/applications/" + client.ID + "/token", Scopes: granted(t.Scopes), Token: secret,
		TokenLastEight: secret[max(0, len(secret)-8):], HashedToken: hex.EncodeToString(sum[:]),
		App:       appJSON{ClientID: client.ID, Name: client.Name, URL: objects.Pages(base) + "/console/applications"},
		CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt, User: &owner,
	}
	if !t.ExpiresAt.IsZero() {
		out.ExpiresAt = &t.ExpiresAt
	}
	return operation.Result{Body: out}, nil
}
