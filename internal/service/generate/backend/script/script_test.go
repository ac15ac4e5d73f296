package script

import "testing"

func TestBuiltinRules(t *testing.T) {
	t.Parallel()
	if rules, err := readRules(builtinRules); err != nil || len(rules) < 5 {
		t.Errorf("built-in rules: %d, %v", len(rules), err)
	}
}
