package identity

import "stoa.dev/stoa/internal/platform/module"

// Format is what a secret looks like.
type Format = module.Format

// The alphabets of secrets.
const (
	Hex          = module.Hex
	Alphanumeric = module.Alphanumeric
)

// Hex40 is 160 bits in 40 lower-case hexadecimal characters.
func Hex40() Format { return Format{Alphabet: Hex, Length: 40} }

// DemoTokens are the two tokens of the demo world that several services share.
func DemoTokens() []module.DemoCredential {
	return []module.DemoCredential{
		{Variable: "STOA_TOKEN", Kind: KindPersonal},
		{Variable: "STOA_GUEST_TOKEN", Kind: KindPersonal, Guest: true},
	}
}

// tokenFormat is the format of a token for several services. It picks the
// strictest: 40 hexadecimal characters satisfy every contract.
func (i *Identity) tokenFormat(services []string, kind Kind) Format {
	r := i.registry.Load()
	if len(services) == 1 {
		return r.tokenFormat(services[0], kind)
	}
	for _, s := range services {
		if f := r.tokenFormat(s, kind); f.Alphabet == Hex {
			return f
		}
	}
	for _, s := range services {
		if f := r.tokenFormat(s, kind); f.Length == 40 {
			return f
		}
	}
	return Format{}
}

func (r *registry) tokenFormat(service string, kind Kind) Format {
	if service == AllServices {
		return Hex40()
	}
	if format := r.services[service].TokenFormat; format != nil {
		return format(kind)
	}
	return Format{}
}

func (r *registry) keyFormat(service string, kind Kind) Format {
	if kind == KindApplication {
		return Hex40()
	}
	if format := r.services[service].KeyFormat; format != (Format{}) {
		return format
	}
	return Format{Alphabet: Hex, Length: 32}
}
