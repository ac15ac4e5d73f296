package lab

import (
	"stoa.dev/stoa/internal/lab/report"
	"stoa.dev/stoa/internal/platform/conduct"
)

// Rules are what services ask of their clients.
func (l *Lab) Rules() []conduct.Stated { return l.rules }

// Conduct judges the clients of the world by its journal.
func (w *World) Conduct(version string, silences []conduct.Silence) (report.Document, error) {
	d := report.Document{
		World: w.Name(), Rules: w.lab.rules, Journal: w.journal, Version: version,
		Report: conduct.Run(w.lab.rules, w.journal.OldestFirst()),
	}
	if err := d.Report.Silence(w.lab.rules, silences); err != nil {
		return d, errInvalid("GET /lab/v1/conduct/rules lists the rules", "%s", err)
	}
	return d, nil
}
