package signing

import (
	"context"
	"crypto/rsa"
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
	parsed, err := parse(token)
	if err != nil {
		return err
	}
	list, err := k.stored(ctx)
	if err != nil {
		return err
	}
	for _, stored := range list {
		if stored.id != parsed.head.ID {
			continue
		}
		private, err := k.open(stored)
		if err != nil {
			return err
		}
		return parsed.verify(&private.PublicKey, claims)
	}
	return ErrToken
}

// VerifyWith is Verify for a token that the holder of a key of its own signed.
func VerifyWith(public *rsa.PublicKey, token string, claims any) error {
	parsed, err := parse(token)
	if err != nil {
		return err
	}
	return parsed.verify(public, claims)
}

// Claims decodes the claims of a token that is not verified yet: they say which key to
// verify it with, and nothing else may follow from them.
func Claims(token string, claims any) error {
	parsed, err := parse(token)
	if err != nil || decodePart(parsed.body, claims) != nil {
		return ErrToken
	}
	return nil
}

// signedText is a token taken apart.
type signedText struct {
	head       header
	body, text string
	signature  []byte
}

func parse(token string) (signedText, error) {
	text, last, ok := cutLast(token)
	if !ok || len(token) > maxToken {
		return signedText{}, ErrToken
	}
	first, second, ok := strings.Cut(text, ".")
	if !ok || strings.Contains(second, ".") {
		return signedText{}, ErrToken
	}
	p := signedText{body: second, text: text}
	if err := decodePart(first, &p.head); err != nil || p.head.Alg != algorithm {
		return signedText{}, ErrToken
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(last)
	if err != nil {
		return signedText{}, ErrToken
	}
	p.signature = signature
	return p, nil
}

func (p signedText) verify(public *rsa.PublicKey, claims any) error {
	if !verify(public, p.text, p.signature) || decodePart(p.body, claims) != nil {
		return ErrToken
	}
	return nil
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
