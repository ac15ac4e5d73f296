package conduct

import (
	"fmt"
	"slices"
	"strings"
)

// Silence says that a rule is not held against a client, and why.
type Silence struct {
	Rule   string `json:"rule"`
	Reason string `json:"reason"`
}

// Silenced is what a silence covers; the finding's Count is zero where the rule was
// kept after all, and the silence can go.
type Silenced struct {
	Silence
	Finding Finding
}

// Silence takes the findings out that silences cover. It refuses silences of rules
// that there are not, and those without a reason.
func (r *Report) Silence(rules []Stated, list []Silence) error {
	for _, s := range list {
		known := slices.IndexFunc(rules, func(rule Stated) bool { return rule.ID == s.Rule })
		switch {
		case known < 0:
			return fmt.Errorf("there is no rule %q", s.Rule)
		case strings.TrimSpace(s.Reason) == "":
			return fmt.Errorf("the silence of %s has no reason", s.Rule)
		}
		covered := Silenced{Silence: s, Finding: Finding{Rule: rules[known]}}
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
			if f.Rule.ID != s.Rule {
				return false
			}
			covered.Finding = f
			return true
		})
		r.Silenced = append(r.Silenced, covered)
	}
	return nil
}
