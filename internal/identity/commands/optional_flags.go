package commands

import "stoa.dev/stoa/internal/platform/module"

// given is the value of a flag that was given, nil otherwise.
func given(in *module.Input, name string) *string {
	if !in.Has(name) {
		return nil
	}
	text := in.Text(name)
	return &text
}

// givenList is given for a list. One empty value empties it.
func givenList(in *module.Input, name string) *[]string {
	if !in.Has(name) {
		return nil
	}
	list := []string{}
	for _, text := range in.Texts(name) {
		if text != "" {
			list = append(list, text)
		}
	}
	return &list
}

// givenBool is given for yes and no.
func givenBool(in *module.Input, name string) *bool {
	if !in.Has(name) {
		return nil
	}
	yes := in.Text(name) == "yes"
	return &yes
}
