package identity

import (
	"stoa.dev/stoa/internal/platform/dialect"
	"stoa.dev/stoa/internal/platform/ids"
)

// Alphabet is the set of characters a secret is drawn from.
type Alphabet string

// The alphabets contracts ask for.
const (
	Hex          Alphabet = "0123456789abcdef"
	Alphanumeric Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	URLSafe      Alphabet = Alphanumeric + "-_"
)

// Format is what a secret looks like: a fixed prefix, then Length characters.
// The zero Format is 43 URL-safe characters, 256 bits.
type Format struct {
	Prefix   string
	Alphabet Alphabet
	Length   int
}

// Hex40 is 160 bits in 40 lower-case hexadecimal characters.
func Hex40() Format { return Format{Alphabet: Hex, Length: 40} }

// make draws a new secret.
func (f Format) make(source *ids.Source) string {
	if f.Alphabet == "" {
		f.Alphabet = URLSafe
	}
	if f.Length == 0 {
		f.Length = 43
	}
	return f.Prefix + source.Text(string(f.Alphabet), f.Length)
}

// TokenFormats knows the contracts that print their tokens' form: articles and
// pipelines 40 hexadecimal, analytics 40 alphanumeric characters, events a
// prefix that tells the kind. A nil dialect means no prefix.
func TokenFormats(d *dialect.Dialect) func(service string, kind Kind) Format {
	return func(service string, kind Kind) Format {
		switch service {
		case "articles", "pipelines", AllServices:
			return Hex40()
		case "analytics":
			return Format{Alphabet: Alphanumeric, Length: 40}
		case "events":
			return Format{Prefix: eventsPrefix(d, kind), Alphabet: Alphanumeric, Length: 36}
		}
		return Format{}
	}
}

func eventsPrefix(d *dialect.Dialect, kind Kind) string {
	if d == nil {
		return ""
	}
	switch kind {
	case KindPersonal:
		return d.Says(dialect.PersonalTokenPrefix)
	case KindInstallation, KindWorkflow:
		return d.Says(dialect.InstallationTokenPrefix)
	case KindRefresh:
		return d.Says(dialect.RefreshTokenPrefix)
	default:
		return d.Says(dialect.OAuthTokenPrefix)
	}
}

// KeyFormats is 32 hexadecimal characters, 40 for application keys. Keys of
// the scheduling contract have a prefix.
func KeyFormats(d *dialect.Dialect) func(service string, kind Kind) Format {
	return func(service string, kind Kind) Format {
		switch {
		case kind == KindApplication:
			return Hex40()
		case service == "apikeys" && d != nil:
			return Format{Prefix: d.Says(dialect.SchedulingKeyPrefix), Alphabet: Hex, Length: 32}
		}
		return Format{Alphabet: Hex, Length: 32}
	}
}

// tokenFormat picks the strictest form among several services: 40 hexadecimal
// characters satisfy every contract.
func (i *Identity) tokenFormat(services []string, kind Kind) Format {
	if len(services) == 1 {
		return i.o.TokenFormat(services[0], kind)
	}
	for _, s := range services {
		if f := i.o.TokenFormat(s, kind); f.Alphabet == Hex {
			return f
		}
	}
	for _, s := range services {
		if f := i.o.TokenFormat(s, kind); f.Length == 40 {
			return f
		}
	}
	return Format{}
}
