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
