package channel

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/wire"
)

// Channel is Channel of the contract, in both directions.
type Channel struct {
	Kind        string            `json:"kind,omitempty"`
	ID          string            `json:"id,omitempty"`
	ResourceID  string            `json:"resourceId,omitempty"`
	ResourceURI string            `json:"resourceUri,omitempty"`
	Token       string            `json:"token,omitempty"`
	Expiration  milliseconds      `json:"expiration,omitempty"`
	Type        string            `json:"type,omitempty"`
	Address     string            `json:"address,omitempty"`
	Params      map[string]string `json:"params,omitempty"`
}

// milliseconds is a 64-bit number that is written as text. A bare number is
// read too, because published examples send one.
type milliseconds string

// UnmarshalJSON takes a number with or without quotes.
func (m *milliseconds) UnmarshalJSON(b []byte) error {
	text := string(b)
	if text == "null" {
		return nil
	}
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
	}
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return &wire.SyntaxError{Field: "expiration", Reason: "expiration must be a Unix time in milliseconds"}
	}
	*m = milliseconds(text)
	return nil
}

// time is the instant; zero when there is none.
func (m milliseconds) time() time.Time {
	n, err := strconv.ParseInt(string(m), 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}

func (k *Channels) toWire(c row, token string) *Channel {
	out := &Channel{
		Kind: "api#channel", ID: c.id, ResourceID: k.resourceID(c.resource), ResourceURI: c.uri, Token: token,
	}
	if !c.expires.IsZero() {
		out.Expiration = milliseconds(strconv.FormatInt(c.expires.UnixMilli(), 10))
	}
	return out
}
