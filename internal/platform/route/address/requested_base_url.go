package address

import "context"

// Address is how a client reached a world. It never changes.
type Address struct {
	// Base is what absolute links begin with: scheme, host and Path, without a
	// trailing slash.
	Base string
	// Path stands before every path of the world on its host, such as /w/NAME; it is
	// empty where the world has a port of its own.
	Path string
	// Own is the base of the world's own port.
	Own string
	// Cookies ends the names of the world's cookies. Browsers keep those of all
	// ports of a host together.
	Cookies string
}

type key struct{}

// With gives the requests of a context an address.
func With(ctx context.Context, a *Address) context.Context { return context.WithValue(ctx, key{}, a) }

// From is the address that was asked; nil where the configured one is the only one.
func From(ctx context.Context) *Address {
	a, _ := ctx.Value(key{}).(*Address)
	return a
}

// Path stands before every path in links without a host.
func Path(ctx context.Context) string {
	if a := From(ctx); a != nil {
		return a.Path
	}
	return ""
}
