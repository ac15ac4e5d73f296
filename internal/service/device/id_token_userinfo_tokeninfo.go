package device

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/identity/signing"
	"stoa.dev/stoa/internal/platform/oauth"
)

// userClaims is what the scopes let an application know of a user. Addresses are the
// operator's to give, so they count as verified.
type userClaims struct {
	Name          string `json:"name,omitempty"`
	UserName      string `json:"preferred_username,omitempty"`
	Email         string `json:"email,omitempty"`
	EmailVerified bool   `json:"email_verified,omitempty"`
	// Groups are organizations and teams, as org/NAME and team/NAME.
	Groups []string `json:"groups,omitempty"`
}

// idClaims are those of an id token (OpenID Connect Core section 2).
type idClaims struct {
	Issuer     string `json:"iss"`
	Subject    string `json:"sub"`
	Audience   string `json:"aud"`
	Party      string `json:"azp"`
	IssuedAt   int64  `json:"iat"`
	ExpiresAt  int64  `json:"exp"`
	AuthTime   int64  `json:"auth_time,omitempty"`
	Nonce      string `json:"nonce,omitempty"`
	AccessHash string `json:"at_hash"`
	userClaims
}

// subject names a user for ever: ids are never used again.
func subject(userID int64) string { return strconv.FormatInt(userID, 10) }

func (s *Service) claimsOf(ctx context.Context, u identity.User, has func(scope string) bool) (userClaims, error) {
	var c userClaims
	if has(scopeProfile) {
		c.Name, c.UserName = u.DisplayName, u.Name
		if c.Name == "" {
			c.Name = u.Name
		}
	}
	if has(scopeEmail) && u.Email != "" {
		c.Email, c.EmailVerified = u.Email, true
	}
	var err error
	if has(scopeGroups) {
		c.Groups, err = s.groupsOf(ctx, u.ID)
	}
	return c, err
}

// maxGroups bounds what a token carries; proxies refuse headers of more than a few
// kilobytes.
const maxGroups = 100

// groupsOf names the organizations and teams of a user.
func (s *Service) groupsOf(ctx context.Context, userID int64) ([]string, error) {
	orgs, err := s.identity.OrgsOf(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("organizations of the user: %w", err)
	}
	teams, err := s.identity.TeamsOf(ctx, userID)
	if err != nil {
		return nil, fmt.Errorf("teams of the user: %w", err)
	}
	groups := []string{}
	for _, m := range orgs {
		groups = append(groups, "org/"+m.Org.Name)
	}
	for _, t := range teams {
		groups = append(groups, "team/"+t.Name)
	}
	return groups[:min(len(groups), maxGroups)], nil
}

// IDToken signs who the user is, for grants that ask for it; empty for others.
func (s *Service) IDToken(ctx context.Context, issuer string, t grants.Tokens) (string, error) {
	has := func(scope string) bool { return slices.Contains(t.Token.Scopes, scope) }
	if !has(scopeOpenID) {
		return "", nil
	}
	user, err := s.identity.User(ctx, t.Token.UserID)
	if err != nil {
		return "", fmt.Errorf("user of the token: %w", err)
	}
	told, err := s.claimsOf(ctx, user, has)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(t.Access))
	claims := idClaims{
		Issuer: issuer, Subject: subject(user.ID), Audience: t.Token.ClientID, Party: t.Token.ClientID,
		IssuedAt: t.Token.CreatedAt.Unix(), ExpiresAt: t.Token.ExpiresAt.Unix(), Nonce: t.Nonce,
		AccessHash: base64.RawURLEncoding.EncodeToString(sum[:sha256.Size/2]), userClaims: told,
	}
	if !t.SignedInAt.IsZero() {
		claims.AuthTime = t.SignedInAt.Unix()
	}
	return s.keys.Sign(ctx, claims)
}

// userInfo is what the userinfo endpoint tells.
type userInfo struct {
	Subject string `json:"sub"`
	userClaims
}

// UserInfo tells the holder of a token about its user.
func (s *Service) UserInfo(ctx context.Context, c *identity.Caller) (userInfo, error) {
	user, err := s.identity.User(ctx, c.UserID)
	if err != nil {
		return userInfo{}, fmt.Errorf("user of the token: %w", err)
	}
	told, err := s.claimsOf(ctx, user, c.HasScope)
	return userInfo{Subject: subject(user.ID), userClaims: told}, err
}

// tokenInfo describes a token. Numbers and booleans are text, as clients of the
// public service know them.
type tokenInfo struct {
	Issuer        string `json:"iss,omitempty"`
	Party         string `json:"azp,omitempty"`
	Audience      string `json:"aud,omitempty"`
	Subject       string `json:"sub,omitempty"`
	Scope         string `json:"scope,omitempty"`
	IssuedAt      string `json:"iat,omitempty"`
	ExpiresAt     string `json:"exp,omitempty"`
	ExpiresIn     string `json:"expires_in,omitempty"`
	Nonce         string `json:"nonce,omitempty"`
	Name          string `json:"name,omitempty"`
	Email         string `json:"email,omitempty"`
	EmailVerified string `json:"email_verified,omitempty"`
}

// AccessTokenInfo describes an access token that was issued here.
func (s *Service) AccessTokenInfo(ctx context.Context, secret string) (tokenInfo, error) {
	caller, err := s.identity.Verify(ctx, secret, identity.Requirement{Service: Name, Kinds: identity.TokenKinds()})
	if isDead(err) {
		return tokenInfo{}, &oauth.Error{Code: oauth.InvalidToken, Description: "Invalid Value"}
	}
	if err != nil {
		return tokenInfo{}, fmt.Errorf("find the token: %w", err)
	}
	token, err := s.identity.Token(ctx, caller.TokenID)
	if err != nil {
		return tokenInfo{}, fmt.Errorf("read the token: %w", err)
	}
	info := tokenInfo{
		Party: caller.ClientID, Audience: caller.ClientID, Subject: subject(caller.UserID),
		Scope: strings.Join(s.identity.Spelled(ctx, token), " "),
	}
	if !caller.ExpiresAt.IsZero() {
		info.ExpiresAt = strconv.FormatInt(caller.ExpiresAt.Unix(), 10)
		info.ExpiresIn = strconv.FormatInt(int64(caller.ExpiresAt.Sub(s.world.Clock.Now())/time.Second), 10)
	}
	user, err := s.UserInfo(ctx, caller)
	if err != nil {
		return tokenInfo{}, err
	}
	info.addUser(user.userClaims)
	return info, nil
}

// IDTokenInfo describes an id token that was signed here and has not expired.
func (s *Service) IDTokenInfo(ctx context.Context, token string) (tokenInfo, error) {
	refused := &oauth.Error{Code: oauth.InvalidToken, Description: "Invalid Value"}
	var claims idClaims
	err := s.keys.Verify(ctx, token, &claims)
	if errors.Is(err, signing.ErrToken) {
		return tokenInfo{}, refused
	}
	if err != nil {
		return tokenInfo{}, fmt.Errorf("verify the id token: %w", err)
	}
	if s.world.Clock.Now().Unix() >= claims.ExpiresAt {
		return tokenInfo{}, refused
	}
	info := tokenInfo{
		Issuer: claims.Issuer, Party: claims.Party, Audience: claims.Audience, Subject: claims.Subject, Nonce: claims.Nonce,
		IssuedAt: strconv.FormatInt(claims.IssuedAt, 10), ExpiresAt: strconv.FormatInt(claims.ExpiresAt, 10),
	}
	info.addUser(claims.userClaims)
	return info, nil
}

func (i *tokenInfo) addUser(c userClaims) {
	i.Name, i.Email = c.Name, c.Email
	if c.Email != "" {
		i.EmailVerified = strconv.FormatBool(c.EmailVerified)
	}
}

// isDead reports whether the error says that a credential is no good.
func isDead(err error) bool {
	for _, dead := range []error{
		identity.ErrUnknown, identity.ErrRevoked, identity.ErrExpired, identity.ErrDisabled, identity.ErrKind,
	} {
		if errors.Is(err, dead) {
			return true
		}
	}
	return false
}
