package answer

import "strings"

// Unit is what a value counts.
type Unit struct {
	Family      string  `json:"family"`
	ScaleFactor float64 `json:"scale_factor"`
	Name        string  `json:"name"`
	ShortName   string  `json:"short_name"`
	Plural      string  `json:"plural"`
	ID          int     `json:"id"`
}

// units is null, or the counted unit and the one it is counted per.
func units(u string) []*Unit {
	if u == "" {
		return nil
	}
	counted, per, _ := strings.Cut(u, "/")
	return []*Unit{unitOf(counted), unitOf(per)}
}

func unitOf(name string) *Unit {
	switch name {
	case "":
		return nil
	case "byte":
		return &Unit{"bytes", 1, name, "B", "bytes", 2}
	case "kibibyte":
		return &Unit{"bytes", 1024, name, "KiB", "kibibytes", 3}
	case "mebibyte":
		return &Unit{"bytes", 1 << 20, name, "MiB", "mebibytes", 4}
	case "gibibyte":
		return &Unit{"bytes", 1 << 30, name, "GiB", "gibibytes", 5}
	case "nanosecond":
		return &Unit{"time", 1e-9, name, "ns", "nanoseconds", 8}
	case "microsecond":
		return &Unit{"time", 1e-6, name, "μs", "microseconds", 9}
	case "millisecond":
		return &Unit{"time", 1e-3, name, "ms", "milliseconds", 10}
	case "second":
		return &Unit{"time", 1, name, "s", "seconds", 11}
	case "minute":
		return &Unit{"time", 60, name, "min", "minutes", 12}
	case "hour":
		return &Unit{"time", 3600, name, "hr", "hours", 13}
	case "day":
		return &Unit{"time", 86400, name, "day", "days", 14}
	case "percent":
		return &Unit{"percentage", 1, name, "%", "percent", 17}
	case "fraction":
		return &Unit{"percentage", 100, name, "fraction", "fractions", 18}
	case "request":
		return &Unit{"network", 1, name, "req", "requests", 19}
	default:
		return &Unit{"general", 1, name, name, name + "s", 0}
	}
}
