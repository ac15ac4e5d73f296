package apikeys

// Validity is how long a new key shall live.
type Validity struct {
	// Days is nil when the caller named no number.
	Days *int
	// Never asks for a key without an end.
	Never bool
}

// Constraint is one broken rule about a member of the request.
type Constraint struct {
	// Rule is the machine word, such as isInt or min.
	Rule string
	Text string
}

// Violation is a member of the request with the rules it breaks.
type Violation struct {
	Property    string
	Constraints []Constraint
}
