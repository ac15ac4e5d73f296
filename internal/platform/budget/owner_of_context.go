package budget

import "context"

type ownerKey struct{}

// OwnerKey is what a context is asked for that knows who answers for its work, as that of
// a request does: it answers with an Owner, or nil.
func OwnerKey() any { return ownerKey{} }

// OwnerOf is who answers for the work of a context: of a request its caller. Work that
// no request asked for has none.
func OwnerOf(ctx context.Context) (Owner, bool) {
	owner, ok := ctx.Value(ownerKey{}).(Owner)
	return owner, ok
}
