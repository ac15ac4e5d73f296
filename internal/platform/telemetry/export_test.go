package telemetry

// RecentSize is how many requests Recent remembers.
const RecentSize = recentSize

// MaskQuery hides the values of parameters that carry secrets.
func MaskQuery(raw string) string { return maskQuery(raw) }
