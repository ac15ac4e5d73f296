package signing

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// algorithm is RSASSA-PKCS1-v1_5 with SHA-256.
const algorithm = "RS256"

// ErrToken means that none of the published keys signed the text.
var ErrToken = errors.New("signing: the token was not signed here")

// maxToken bounds what is decoded; no token made here comes near it.
const maxToken = 16 << 10

// header is the first part of a token.
type header struct {
	Alg  string `json:"alg"`
	ID   string `json:"kid"`
	Type string `json:"typ,omitempty"`
}

// Sign makes a signed token of the claims.
func (k *Keys) Sign(ctx context.Context, claims any) (string, error) {
	stored, err := k.signer(ctx)
	if err != nil {
		return "", err
	}
	private, err := k.open(stored)
	if err != nil {
		return "", err
	}
	head, err := json.Marshal(header{Alg: algorithm, ID: stored.id, Type: "JWT"})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode(head) + "." + encode(body)
	signature, err := sign(private, text)
	if err != nil {
		return "", fmt.Errorf("sign an id token: %w", err)
	}
	return text + "." + encode(signature), nil
}

// Verify decodes the claims of a token that a published key signed into claims. It
// judges the signature alone: expiry and audience are the caller's to look at.
func (k *Keys) Verify(ctx context.Context, token string, claims any) error {
	text, last, ok := cutLast(token)
	if !ok || len(token) > maxToken {
		return ErrToken
	}
	first, second, ok := strings.Cut(text, ".")
	if !ok || strings.Contains(second, ".") {
		return ErrToken
	}
	var head header
	if err := decodePart(first, &head); err != nil || head.Alg != algorithm {
		return ErrToken
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(last)
	if err != nil {
		return ErrToken
	}
	list, err := k.stored(ctx)
	if err != nil {
		return err
	}
	for _, stored := range list {
		if stored.id != head.ID {
			continue
		}
		private, err := k.open(stored)
		if err != nil {
			return err
		}
		if !verify(&private.PublicKey, text, signature) || decodePart(second, claims) != nil {
			return ErrToken
		}
		return nil
	}
	return ErrToken
}

// cutLast splits a token before its signature.
func cutLast(token string) (text, signature string, ok bool) {
	at := strings.LastIndexByte(token, '.')
	if at < 0 {
		return "", "", false
	}
	return token[:at], token[at+1:], true
}

func decodePart(text string, into any) error {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, into)
}
