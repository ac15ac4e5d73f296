package explain

// Headers says what is known of a request by its headers; empty for nothing.
type Headers func(header map[string][]string) string

// Refusal is the reason with what is known besides.
func (f Headers) Refusal(status int, reason string, header map[string][]string) string {
	const unauthorized, forbidden = 401, 403
	if f == nil || status != unauthorized && status != forbidden {
		return reason
	}
	if more := f(header); more != "" {
		return reason + "; " + more
	}
	return reason
}
