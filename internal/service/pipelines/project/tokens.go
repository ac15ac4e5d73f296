package project

import (
	"context"
	"errors"
	"slices"
	"time"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/database"
)

// Token is a token of a project without its secret, of which only the end is known.
type Token struct {
	ID        int64
	Label     string
	Scope     string
	Tail      string
	CreatedAt time.Time
	// Maker is the user who made it, while it is known.
	Maker string
}

const (
	// maxTokenLabel bounds the label of a token.
	maxTokenLabel = 200
	// maxTokens bounds the tokens of a project.
	maxTokens = 100
)

// Tokens lists the tokens of a project that are good, also where one was revoked elsewhere: with its maker's account,
// or by an operator.
func (p *Projects) Tokens(ctx context.Context, r forge.Repository) ([]Token, error) {
	all, err := listTokens(ctx, p.world.DB, r.ID)
	if err != nil {
		return nil, err
	}
	list, makers := all[:0], make([]int64, 0, len(all))
	for _, t := range all {
		issued, isGood, err := p.isGood(ctx, t.ID)
		if err != nil {
			return nil, err
		}
		if isGood {
			list, makers = append(list, t), append(makers, issued.UserID)
		}
	}
	users, err := p.identity.UsersByID(ctx, makers)
	names := map[int64]string{}
	for _, u := range users {
		names[u.ID] = u.Name
	}
	for n := range list {
		list[n].Maker = names[makers[n]]
	}
	return list, err
}

// isGood finds a token as it was issued, and whether it is good.
func (p *Projects) isGood(ctx context.Context, id int64) (identity.Token, bool, error) {
	issued, err := p.identity.Token(ctx, id)
	if errors.Is(err, identity.ErrNotFound) {
		return issued, false, nil
	}
	return issued, err == nil && issued.Alive(p.now()), err
}

// checkBound refuses a token beyond the bound. Those that have ended elsewhere do not count: they are not listed, so
// they cannot be deleted.
func (p *Projects) checkBound(ctx context.Context, tx *database.Tx, repoID int64) error {
	all, err := listTokens(ctx, tx, repoID)
	if err != nil || len(all) < maxTokens {
		return err
	}
	good := 0
	for _, t := range all {
		_, isGood, err := p.isGood(ctx, t.ID)
		if err == nil && !isGood {
			_, err = deleteToken(ctx, tx, repoID, t.ID)
		}
		if err != nil {
			return err
		}
		if isGood {
			good++
		}
	}
	if good >= maxTokens {
		return errInvalid("a project has at most %d tokens; delete those that are not used", maxTokens)
	}
	return nil
}

// CreateToken makes a token of a project, which is revoked with the account of its maker.
func (p *Projects) CreateToken(
	ctx context.Context, r forge.Repository, maker *identity.Caller, label, scope string,
) (t Token, secret string, err error) {
	if !slices.Contains([]string{ScopeStatus, ScopeRead, ScopeAll}, scope) || label == "" ||
		len(label) > maxTokenLabel {
		return t, "", errInvalid("scope must be status, view-builds or all, and label a short text")
	}
	err = p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		if err := p.checkBound(ctx, tx, r.ID); err != nil {
			return err
		}
		var issued identity.Token
		issued, secret, err = p.identity.IssueTokenIn(ctx, tx, identity.IssueOptions{
			Kind: identity.KindProject, Services: []string{p.service}, Scopes: []string{scope},
			UserID: maker.UserID, Repo: r.FullName(), Note: label,
		})
		if errors.Is(err, identity.ErrInvalid) {
			return errInvalid("label must be a short text without control characters")
		}
		if err != nil {
			return err
		}
		t = Token{
			ID: issued.ID, Label: label, Scope: scope, Tail: secret[len(secret)-4:], CreatedAt: p.now(),
			Maker: maker.UserName,
		}
		return insertToken(ctx, tx, r.ID, t)
	})
	return t, secret, err
}

// DeleteToken revokes a token of a project.
func (p *Projects) DeleteToken(ctx context.Context, r forge.Repository, id int64) error {
	return p.change(ctx, r.ID, func(ctx context.Context, tx *database.Tx) error {
		deleted, err := deleteToken(ctx, tx, r.ID, id)
		if err == nil && !deleted {
			return errNotFound("Token not found")
		}
		if err != nil {
			return err
		}
		return p.identity.RevokeTokenByHandIn(ctx, tx, id)
	})
}
