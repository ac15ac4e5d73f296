package fault

// ParameterError means that a parameter which every operation of the family has
// cannot be taken as it is.
type ParameterError struct {
	// Name is the parameter's, or the header's.
	Name string
	// Header tells that it is a header.
	Header  bool
	Message string
}

// Error is the message.
func (e *ParameterError) Error() string { return e.Message }

func (e *ParameterError) fault() Fault {
	f := New(400, "INVALID_ARGUMENT", e.Message)
	f.Reason, f.Location, f.LocationType = "invalidParameter", e.Name, "parameter"
	if e.Header {
		f.LocationType = "header"
	}
	return f
}
