package conduct

import "slices"

// Silence says that a rule is not held against a client, and why.
type Silence struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Silenced is what a silence covers; Count is zero where the rule was kept after all,
// and the silence can go.
type Silenced struct {
	Silence
	Count int
}

// Silence takes the findings out that silences cover.
func (r *Report) Silence(list []Silence) {
	for _, s := range list {
		covered := Silenced{Silence: s}
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
			if f.Rule.ID == s.Rule {
				covered.Count += f.Count
			}
			return f.Rule.ID == s.Rule
		})
		r.Silenced = append(r.Silenced, covered)
	}
}
