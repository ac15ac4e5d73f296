package advisory

import (
	"math"
	"strings"
)

// Score is the base score of a CVSS version 3 vector, by the equations of the
// standard's section 7. What is no such vector has none.
func Score(vector string) (score float64, ok bool) {
	if !strings.HasPrefix(vector, "CVSS:3.") {
		return 0, false
	}
	m := map[string]string{}
	for _, part := range strings.Split(vector, "/")[1:] {
		name, value, _ := strings.Cut(part, ":")
		m[name] = value
	}
	changed := m["S"] == "C"
	exploit := 8.22 * attackVector(m["AV"]) * attackComplexity(m["AC"]) * privileges(m["PR"], changed) * interaction(m["UI"])
	base := 1 - (1-impact(m["C"]))*(1-impact(m["I"]))*(1-impact(m["A"]))
	if exploit == 0 {
		return 0, false // a metric is missing
	}
	if base <= 0 {
		return 0, true
	}
	if changed {
		total := 7.52*(base-0.029) - 3.25*math.Pow(base-0.02, 15)
		return roundUp(min(1.08*(total+exploit), 10)), true
	}
	return roundUp(min(6.42*base+exploit, 10)), true
}

func attackVector(v string) float64 {
	switch v {
	case "N":
		return 0.85
	case "A":
		return 0.62
	case "L":
		return 0.55
	case "P":
		return 0.2
	}
	return 0
}

func attackComplexity(v string) float64 {
	switch v {
	case "L":
		return 0.77
	case "H":
		return 0.44
	}
	return 0
}

func privileges(v string, changed bool) float64 {
	switch {
	case v == "N":
		return 0.85
	case v == "L" && changed:
		return 0.68
	case v == "L":
		return 0.62
	case v == "H" && changed:
		return 0.5
	case v == "H":
		return 0.27
	}
	return 0
}

func interaction(v string) float64 {
	switch v {
	case "N":
		return 0.85
	case "R":
		return 0.62
	}
	return 0
}

func impact(v string) float64 {
	switch v {
	case "H":
		return 0.56
	case "L":
		return 0.22
	}
	return 0
}

// roundUp is the standard's rounding to one decimal, free of the errors that
// binary fractions would bring.
func roundUp(x float64) float64 {
	n := int64(math.Round(x * 100000))
	if n%10000 == 0 {
		return float64(n) / 100000
	}
	return (math.Floor(float64(n)/10000) + 1) / 10
}
