package worldsettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/settings"
)

// Next is what a caller can do about a setting that is refused.
const Next = "correct it, leave it out, or set it in the lab's configuration (stoa lab --config); " +
	"see docs/lab-worlds.md"

// Rule is what a world may do with a setting.
type Rule int

// A setting is the operator's unless a rule allows it. OnlyTrue lets a world switch on what holds it back.
const (
	Operator Rule = iota
	Own
	OnlyTrue
)

// RuleOf is the rule of a setting.
func RuleOf(s settings.Setting) Rule {
	switch section, _, _ := strings.Cut(s.Name, "."); {
	case slices.Contains(labSections(), section), slices.Contains(loosening(), s.Name),
		strings.Contains(s.Name, ".sandbox."):
		return Operator
	case s.Name == "offline", s.Name == "packages.offline":
		return OnlyTrue
	case slices.Contains(harmlessTexts(), s.Name):
		return Own
	}
	switch s.Type {
	case "whole number", "number", "duration", "date", "true or false":
		return Own
	}
	return Operator
}

// labSections are the lab's own in every world, whatever their kind.
func labSections() []string {
	return []string{
		"data", "root_key", "listen", "admin_password_file", "base_url", "dialect", "log", "hosts", "database", "blob",
		"identity",
	}
}

// loosening are numbers and switches that open what the operator keeps closed.
func loosening() []string { return []string{"kms.tcp", "pipelines.run_foreign", "packages.discover"} }

// harmlessTexts are shown to clients or chosen of a few; nothing is opened, called or run by them.
func harmlessTexts() []string {
	return []string{
		"scope_base", "packages.python", "generate.safety_threshold", "calendar.conference_url",
		"device.verification_url",
	}
}

// Check refuses what a world may not set, and returns the settings in one form, each once. Operator is the
// configuration that they are laid over.
func Check(config json.RawMessage, operator app.Config) (json.RawMessage, error) {
	if len(config) == 0 {
		return nil, nil
	}
	var members map[string]any
	reader := json.NewDecoder(bytes.NewReader(config))
	reader.UseNumber()
	if err := reader.Decode(&members); err != nil || members == nil || reader.More() {
		return nil, errors.Join(errors.New("give an object as in the YAML file"), err)
	}
	known := map[string]settings.Setting{}
	for _, s := range settings.Describe(&operator) {
		known[s.Name] = s
	}
	if err := check(known, "", members); err != nil {
		return nil, err
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	own := app.DefaultConfig()
	if err := settings.ReadFile(&own, "config", text); err != nil {
		return text, err
	}
	return text, checkTogether(text, operator)
}

// checkTogether refuses values that do not fit the configuration that they are laid over, which fits by itself: the
// world could not be opened with them.
func checkTogether(text []byte, operator app.Config) error {
	if operator.Validate() != nil {
		return nil // what does not fit is the operator's
	}
	if err := settings.ReadFile(&operator, "config", text); err != nil {
		return err
	}
	if err := operator.Validate(); err != nil {
		return errors.New(strings.TrimSpace(strings.TrimPrefix(err.Error(), app.ErrConfig.Error()+":")))
	}
	return nil
}

func check(known map[string]settings.Setting, above string, members map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		path, value := above+name, members[name]
		below, isObject := value.(map[string]any)
		s, isSetting := known[path]
		var err error
		switch {
		case isSetting:
			err = checkValue(s, value)
		case isObject && hasSection(known, path):
			err = check(known, path+".", below)
		default:
			err = unknown(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func hasSection(known map[string]settings.Setting, path string) bool {
	for name := range known {
		if strings.HasPrefix(name, path+".") {
			return true
		}
	}
	return false
}

func unknown(path string) error {
	return fmt.Errorf("%s is not a setting that a world may have", path)
}

// checkValue allows plain values only: null would put a setting back to nothing.
func checkValue(s settings.Setting, value any) error {
	switch value.(type) {
	case string, bool, json.Number:
	default:
		if RuleOf(s) != Operator {
			return fmt.Errorf("%s is a %s", s.Name, s.Type)
		}
	}
	switch rule := RuleOf(s); {
	case rule == Own, rule == OnlyTrue && value == true:
		return nil
	case rule == OnlyTrue && value == false && s.Value == "false":
		return nil // as the operator has it
	case rule == OnlyTrue:
		return fmt.Errorf("%s can be set to true by a world; false is the operator's to say", s.Name)
	}
	return fmt.Errorf("%s is the operator's: a world sets numbers, durations, dates and switches", s.Name)
}
