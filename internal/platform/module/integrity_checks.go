package module

import "context"

// Damage is something stored that is not as it was written.
type Damage struct {
	// What names the thing, as in "repository ada/site".
	What string `json:"what"`
	// Detail says what is wrong with it.
	Detail string `json:"detail"`
	// Advice is the step that mends it.
	Advice string `json:"advice"`
}

// Verify reads what a module stored, reports what is damaged, and says how many things it
// looked at. An error means that it could not look.
type Verify func(ctx context.Context, report func(Damage)) (looked int, err error)

// BlobRows are the rows of one kind that need an object of the blob store.
type BlobRows struct {
	// Kind names one of them, as in "picture".
	Kind string
	// Query selects the id, the object's key, its size and its SHA-256 in hexadecimal digits of the rows whose id comes
	// after $1, by id, at most $2 of them. A size below zero and an empty sum are not known. Where rows outlive their
	// objects, $3 is the moment at which they must have them.
	Query string
}

// SealedRows are the rows of one kind that hold a value under the root key.
type SealedRows struct {
	// Kind names one of them, as in "hook".
	Kind string
	// Purpose is that of the box; empty is the root key's own.
	Purpose string
	// Query selects the id, the place that the value is bound to, and the sealed value of the rows whose id comes after
	// $1, by id, at most $2 of them.
	Query string
}
