package channel

import (
	"context"
	"errors"
	"strconv"
	"time"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/deliver"
	"stoa.dev/stoa/internal/service/calendar/refusal"
)

const (
	maxID      = 64
	maxToken   = 256
	maxAddress = 2048
	// maxAddressCheck bounds how long a watch waits for the receiver's certificate.
	maxAddressCheck = 5 * time.Second
)

// Request is a channel that was checked and can be made.
type Request struct {
	in      Channel
	expires time.Time
}

// Check checks a request and the receiver's certificate, for which the receiver
// may be asked. It does so before the transaction in which Add writes.
func (k *Channels) Check(ctx context.Context, in Channel, now time.Time) (Request, error) {
	expires, err := k.check(in, now)
	if err == nil {
		err = k.checkAddress(ctx, in.Address)
	}
	return Request{in: in, expires: expires}, err
}

// check checks the members of a request and gives the channel's end.
func (k *Channels) check(in Channel, now time.Time) (time.Time, error) {
	for _, member := range [][2]string{{"id", in.ID}, {"type", in.Type}, {"address", in.Address}} {
		if member[1] == "" {
			return time.Time{}, refusal.Required(member[0])
		}
	}
	switch {
	case utf8.RuneCountInString(in.ID) > maxID || !printable(in.ID):
		return time.Time{}, refusal.Invalid("id", "a channel id has at most %d characters, all of them visible", maxID)
	case in.Type != "web_hook" && in.Type != "webhook":
		return time.Time{}, refusal.New(refusal.CodeChannelType, "type", "Channel type %s is not supported; use web_hook",
			refusal.Clip(in.Type))
	case utf8.RuneCountInString(in.Token) > maxToken || !printable(in.Token):
		return time.Time{}, refusal.Invalid("token", "a channel token has at most %d characters, all of them visible",
			maxToken)
	case len(in.Address) > maxAddress:
		return time.Time{}, refusal.Invalid("address", "an address has at most %d characters", maxAddress)
	}
	return k.expiry(in, now)
}

// printable reports whether text can stand in a header as it is.
func printable(text string) bool {
	for _, c := range text {
		if c < ' ' || c == 0x7f || c == utf8.RuneError {
			return false
		}
	}
	return true
}

// expiry is the earliest of what was asked for and the configured life.
func (k *Channels) expiry(in Channel, now time.Time) (time.Time, error) {
	var expires time.Time
	sooner := func(t time.Time) {
		if expires.IsZero() || t.Before(expires) {
			expires = t
		}
	}
	if k.config.Lifetime > 0 {
		sooner(now.Add(k.config.Lifetime))
	}
	if in.Expiration != "" {
		asked := in.Expiration.time()
		if last := maxExpiry(); asked.After(last) {
			asked = last
		}
		if !asked.After(now) {
			return expires, refusal.New(refusal.CodeChannelTTL, "expiration", "Invalid ttl value for channel %d",
				int64(asked.Sub(now).Seconds()))
		}
		sooner(asked)
	}
	if ttl := in.Params["ttl"]; ttl != "" {
		seconds, err := strconv.ParseInt(ttl, 10, 64)
		if err != nil || seconds <= 0 {
			return expires, refusal.New(refusal.CodeChannelTTL, "params.ttl", "Invalid ttl value for channel %s",
				refusal.Clip(ttl))
		}
		// A hundred years still fit a duration.
		sooner(now.Add(time.Duration(min(seconds, 100*366*24*60*60)) * time.Second))
	}
	return expires, nil
}

// checkAddress checks the address and, if a server answers there, its
// certificate. A receiver that cannot be reached is not a reason to refuse: its
// certificate is checked again by every delivery.
func (k *Channels) checkAddress(ctx context.Context, address string) error {
	bounded, cancel := context.WithTimeout(ctx, maxAddressCheck)
	defer cancel()
	err := k.world.Deliver.CheckAddress(bounded, address)
	switch {
	case err == nil, errors.Is(err, deliver.ErrConnection):
		return ctx.Err()
	case errors.Is(err, deliver.ErrNotHTTPS):
		return refusal.New(refusal.CodeNotHTTPS, "address", "WebHook callback must be HTTPS: %s", refusal.Clip(address))
	case errors.Is(err, deliver.ErrMalformed):
		return refusal.New(refusal.CodeNoHost, "address",
			"WebHook callback must be https://host[:port]/path, without user or fragment: %s", refusal.Clip(address))
	case errors.Is(err, deliver.ErrForbidden):
		return refusal.New(refusal.CodeAddress, "address", "Unauthorized WebHook callback channel: %s",
			refusal.Clip(address)).Because(err.Error())
	case errors.Is(err, deliver.ErrCertificate):
		return refusal.New(refusal.CodeCertificate, "address", "the certificate of the WebHook callback is not valid: %s",
			refusal.Clip(address)).Because(err.Error())
	}
	return err
}

// maxExpiry is the last day that can be written in every zone with four digits of
// the year.
func maxExpiry() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }
