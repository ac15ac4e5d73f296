package settingwords

import (
	"fmt"
	"io"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/app/cli/columns"
	"stoa.dev/stoa/internal/app/cli/origins"
	"stoa.dev/stoa/internal/app/reference"
	"stoa.dev/stoa/internal/app/settings"
)

// Explained is a setting with which values it takes and where its value comes from.
type Explained struct {
	reference.Entry
	// Flag is the flag of serve that gives it.
	Flag string `json:"flag,omitempty"`
	// Range are the values that it takes, in the words of the validation.
	Range string `json:"range,omitempty"`
	// Origin is where the value comes from.
	Origin string `json:"origin"`
	// Refused is why a server does not start with the value.
	Refused string `json:"refused,omitempty"`
}

// Source is where the values of a configuration come from.
type Source struct {
	Config *app.Config
	// Running has the values of the running server, which does not say where it has them from.
	Running bool
	// File is the configuration file, and Origins are those of each value.
	File    string
	Origins map[string]settings.Origin
}

// Explain adds to settings what is known of their values.
func Explain(entries []reference.Entry, s Source) []Explained {
	list := make([]Explained, 0, len(entries))
	for _, e := range entries {
		list = append(list, Explained{
			Entry: e, Flag: origins.Flag(e.Name), Range: reference.Range(e.Setting), Origin: s.origin(e),
			Refused: reference.Refused(s.Config, e.Name),
		})
	}
	return list
}

func (s Source) origin(e reference.Entry) string {
	if s.Running {
		return "running server"
	}
	switch s.Origins[e.Name] {
	case settings.FromFile:
		return "file " + s.File
	case settings.FromEnvironment:
		return "variable " + e.Variable
	case settings.FromFlag:
		return "flag " + origins.Flag(e.Name)
	case settings.FromDefault:
	}
	return string(settings.FromDefault)
}

// width is how wide an explanation is, after its indent.
const width = 76

// Write prints an explanation. What is as by default is said where it was asked for by its name.
func (e Explained) Write(w io.Writer, named bool) {
	fmt.Fprintln(w, e.Name)
	for _, line := range columns.Wrap(e.Meaning, width) {
		fmt.Fprintf(w, "    %s\n", line)
	}
	variable := "variable " + e.Variable
	if e.FileOnly {
		variable = "in the file only"
	}
	facts := fmt.Sprintf("%s, default %s, %s", e.Type, shown(e.Default), variable)
	if e.Flag != "" {
		facts += ", flag " + e.Flag
	}
	if e.Range != "" {
		facts += "; takes " + e.Range
	}
	fmt.Fprint(w, columns.Hang("    ", columns.Wrap(facts, width), 4))
	if !named && e.Value == e.Default {
		return
	}
	here := fmt.Sprintf("here: %s (%s)", shown(e.Value), e.Origin)
	if e.Refused != "" {
		here += ", which is refused: " + e.Refused
	}
	fmt.Fprint(w, columns.Hang("    ", columns.Wrap(here, width), 4))
}

func shown(value string) string {
	if value == "" {
		return "empty"
	}
	return value
}
