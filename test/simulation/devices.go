package simulation

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// device is an application that asks users for tokens.
type device struct{ id, secret string }

const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

func (s *simulated) addDevice(ctx context.Context) error {
	made, err := s.command(ctx, "client add", map[string][]string{"name": {"Television"}, "type": {"device"}})
	if err != nil {
		return err
	}
	s.device.id, _ = made["client_id"].(string)
	s.device.secret, _ = made["client_secret"].(string)
	s.secrets = append(s.secrets, s.device.secret)
	return nil
}

// issued is what the token endpoint answers.
type issued struct {
	DeviceCode   string `json:"device_code"`
	UserCode     string `json:"user_code"`
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
}

func (s *simulated) form(path string, values url.Values) (code, met int, out issued) {
	w, met := s.send(request{method: "POST", path: path, body: values.Encode(), kind: "application/x-www-form-urlencoded"})
	_ = json.Unmarshal(w.Body.Bytes(), &out) // a refusal has none of it
	for _, secret := range []string{out.AccessToken, out.RefreshToken, out.DeviceCode} {
		if secret != "" {
			s.secrets = append(s.secrets, secret)
		}
	}
	return w.Code, met, out
}

// redeem goes through a device flow: a code gives at most one token (P5), and only
// when its user allowed it.
func (s *simulated) redeem(ctx context.Context, u *user) (met int, err error) {
	s.pass(ctx, 61*time.Second)
	_, n, begun := s.form("/device/code", url.Values{"client_id": {s.device.id}, "scope": {"video"}})
	if met += n; begun.DeviceCode == "" {
		return met, nil
	}
	poll := func() (int, issued) {
		code, n, out := s.form("/token", url.Values{"client_id": {s.device.id}, "client_secret": {s.device.secret},
			"device_code": {begun.DeviceCode}, "grant_type": {deviceGrant}})
		met += n
		return code, out
	}
	decision := []string{"approve", "approve", "approve", "deny", ""}[s.random.IntN(5)]
	if decision != "" {
		s.store.arm(false)
		_, err := s.command(ctx, "grant "+decision, map[string][]string{"user_code": {begun.UserCode}, "user": {u.name}})
		if err != nil {
			s.violate("P1: a device code that was given out: %v", err)
			return met, nil
		}
		s.store.arm(true)
	}
	late := s.random.IntN(5) == 0
	if late {
		s.clock.Advance(2 * time.Hour) // no code lives so long
	}
	won := 0
	var last issued
	for range 2 + s.random.IntN(3) {
		s.clock.Advance(6 * time.Second)
		if code, out := poll(); code == http.StatusOK {
			won++
			last = out
		}
	}
	switch {
	case won > 1:
		s.violate("P5: one device code gave %d tokens", won)
	case won == 1 && (decision != "approve" || late):
		s.violate("P5: a device code gave a token; the decision was %q, late %v", decision, late)
	case won == 0 && met == 0 && decision == "approve" && !late:
		s.violate("P5: an allowed device code gave no token")
	}
	if won == 1 {
		met += s.revoke(last)
	}
	return met, nil
}

// revoke ends a grant, after which its refresh token gives nothing.
func (s *simulated) revoke(tokens issued) int {
	refresh := func() (code, met int) {
		code, met, _ = s.form("/token", url.Values{"client_id": {s.device.id}, "client_secret": {s.device.secret},
			"refresh_token": {tokens.RefreshToken}, "grant_type": {"refresh_token"}})
		return code, met
	}
	before, met := refresh()
	if before != http.StatusOK && met == 0 {
		s.violate("P5: the refresh token of a device is refused: %d", before)
	}
	code, more, _ := s.form("/revoke", url.Values{"token": {tokens.RefreshToken}})
	met += more
	if code != http.StatusOK {
		return met
	}
	after, more := refresh()
	if after == http.StatusOK {
		s.violate("P5: a revoked refresh token gave a token")
	}
	return met + more
}
