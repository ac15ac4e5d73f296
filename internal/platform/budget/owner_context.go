package budget

import "context"

type ownerKey struct{}

// OwnerKey is what a context that is not made by With is asked for: it answers with an
// Owner, or nil.
func OwnerKey() any { return ownerKey{} }

// With is a context of work that the owner answers for.
func With(ctx context.Context, owner Owner) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// OwnerOf is who answers for the work of a context: of a request its caller. Work that
// no request asked for has none.
func OwnerOf(ctx context.Context) (Owner, bool) {
	owner, ok := ctx.Value(ownerKey{}).(Owner)
	return owner, ok
}
