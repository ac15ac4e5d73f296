package console

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/identity/grants"
	"stoa.dev/stoa/internal/platform/route"
)

// deviceBody is the page that takes the code.
type deviceBody struct {
	Code, Error string
	// Linked means that the code came with the link and has to be compared.
	Linked bool
}

// pendingDevice is the grant that a page asks about, bound to the session that
// was shown it.
type pendingDevice struct {
	Grant int64 `json:"g"`
}

func (v viewer) binding() string { return fmt.Sprintf("device of session %d", v.session.ID) }

func (c *Console) handleDeviceForm(w http.ResponseWriter, r *route.Request, v viewer) error {
	code := r.Query().Get("user_code")
	if len(code) > 20 {
		code = ""
	}
	return c.showDevice(w, r, v, http.StatusOK, deviceBody{Code: code, Linked: code != ""})
}

func (c *Console) showDevice(w http.ResponseWriter, r *route.Request, v viewer, status int, body deviceBody) error {
	return c.render(w, r, status, "connect", v.view("Connect a device", "connect", body))
}

// handleDevice finds what the code stands for and asks about it.
func (c *Console) handleDevice(w http.ResponseWriter, r *route.Request, v viewer) error {
	typed := strings.TrimSpace(v.form.Get("user_code"))
	code, ok := grants.UserCode(typed)
	if !ok {
		return c.showDevice(w, r, v, http.StatusBadRequest, deviceBody{Code: typed, Error: noCodeText(typed)})
	}
	g, err := c.tryCode(r, v, code)
	if text := codeError(err); text != "" {
		return c.showDevice(w, r, v, http.StatusBadRequest, deviceBody{Code: code, Error: text})
	}
	if err != nil {
		return err
	}
	if typed != strings.ToUpper(typed) {
		// Codes are case-sensitive by contract: what was typed is no code, but which
		// one was meant is no question.
		const text = "Codes have capital letters. Compare this one with the device, then continue."
		return c.showDevice(w, r, v, http.StatusBadRequest, deviceBody{Code: code, Error: text})
	}
	body, err := c.newConsentBody(r, g.Service, g.ClientID, g.Scopes)
	if err != nil {
		return err
	}
	body.Action, body.Code = "/device/decision", code
	expiresAt := c.world.Clock.Now().Add(c.config.ConsentTTL)
	body.Request = c.sealer().SealUntil(pendingDevice{Grant: g.ID}, v.binding(), expiresAt)
	return c.render(w, r, http.StatusOK, "consent", v.view("Connect a device", "connect", body))
}

// noCodeText says why what was typed is the code of no device: some letters are in none.
func noCodeText(typed string) string {
	letters := 0
	for _, r := range typed {
		switch {
		case r == '-' || r == ' ':
		case unicode.IsLetter(r):
			letters++
		default:
			letters = -len(typed)
		}
	}
	if letters == 8 {
		return "No device shows this code: it is not known, or it has expired. Compare every letter with the device; " +
			"codes have no vowels."
	}
	return "A code has eight letters, such as WDJB-MJHT. Type it as the device shows it."
}

// tryCode finds the grant of a code. Only a code that no device shows, or showed, is a
// guess and counts.
func (c *Console) tryCode(r *route.Request, v viewer, code string) (grants.Grant, error) {
	attempts := c.userCodeAttempts(v.user.ID)
	if err := attempts.take(r.Context()); err != nil {
		return grants.Grant{}, err
	}
	g, err := c.grants.ByUserCode(r.Context(), code)
	if errors.Is(err, grants.ErrUnknown) {
		return grants.Grant{}, err
	}
	return g, errors.Join(err, attempts.refund(r.Context()))
}

// codeError says what is wrong with a typed code.
func codeError(err error) string {
	switch {
	case errors.Is(err, grants.ErrUnknown):
		return "No device shows this code: it is not known, or it has expired. Type it as the device shows it."
	case errors.Is(err, grants.ErrExpired):
		return "This code has expired. Start again on the device to get a new one."
	case errors.Is(err, grants.ErrClaimed), errors.Is(err, grants.ErrDenied),
		errors.Is(err, grants.ErrPolicy), errors.Is(err, grants.ErrInternal):
		return "This code has been used already. Start again on the device to get a new one."
	}
	return ""
}

func (c *Console) handleDecision(w http.ResponseWriter, r *route.Request, v viewer) error {
	var pending pendingDevice
	if err := c.sealer().OpenAt(v.form.Get("request"), v.binding(), c.world.Clock.Now(), &pending); err != nil {
		return err
	}
	yes, err := decision(v)
	if err != nil {
		return err
	}
	g, err := c.grants.Decide(r.Context(), pending.Grant, v.user.ID, yes)
	if text := codeError(err); text != "" {
		return c.showDevice(w, r, v, http.StatusConflict, deviceBody{Error: text})
	}
	if err != nil {
		return err
	}
	return c.render(w, r, http.StatusOK, "done", v.view("Connect a device", "connect", deviceOutcome(g.State)))
}

// decision reads the button that was pressed.
func decision(v viewer) (yes bool, err error) {
	switch v.form.Get("decision") {
	case "allow":
		return true, nil
	case "deny":
		return false, nil
	}
	return false, &identity.InvalidError{Field: "decision", Reason: "must be allow or deny"}
}

// doneBody is the last page of a device flow.
type doneBody struct {
	Heading, Text string
	Success       bool
}

func deviceOutcome(s grants.State) doneBody {
	switch s {
	case grants.Approved:
		return doneBody{
			Heading: "Device connected", Success: true,
			Text: "You can return to your device. It continues by itself within a few seconds.",
		}
	case grants.Denied:
		return doneBody{
			Heading: "Access denied", Text: "The device was refused and has no access to your account.",
		}
	case grants.Refused, grants.Pending, grants.Claimed:
	}
	return doneBody{
		Heading: "Not allowed", Text: "A policy of your organization forbids this application. Ask its administrators.",
	}
}
