package web

import (
	"fmt"
	"strings"

	"stoa.dev/stoa/internal/service/pipelines/build"
)

// statusGroup is what a status looks like on pages and badges.
func statusGroup(s build.Status) string {
	switch s {
	case build.StatusSuccess, build.StatusFixed:
		return "good"
	case build.Status(build.Failed), build.Status(build.TimedOut), build.Status(build.NoTests):
		return "bad"
	case build.Status(build.Running):
		return "live"
	case build.Status(build.Queued), build.Status(build.NotRunning):
		return "waiting"
	case build.StatusRetried:
	}
	return "stopped"
}

// badgeColors are the backgrounds of a badge by group; white text is readable on all.
func badgeColors() map[string]string {
	return map[string]string{
		"good": "#2d7d46", "bad": "#b3261e", "live": "#1f62b0", "waiting": "#6b6659", "stopped": "#6b6659",
	}
}

// badgeOf draws the badge of a job, or of a branch without one.
func badgeOf(b *build.Build) []byte {
	word, group := "no builds", "waiting"
	if b != nil {
		group = statusGroup(b.State.Status)
		switch group {
		case "good":
			word = "passing"
		case "bad":
			word = "failing"
		default:
			word = strings.ReplaceAll(string(b.State.Status), "_", " ")
		}
	}
	return badge(word, badgeColors()[group])
}

// badge draws two fields side by side. Widths follow from the letters: seven units each are enough for the font.
func badge(word, background string) []byte {
	const label, letter, pad = "pipelines", 7, 10
	left, right := len(label)*letter+pad, len(word)*letter+pad
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="20" role="img" `+
		`aria-label="%[2]s: %[3]s"><title>%[2]s: %[3]s</title>`+
		`<clipPath id="r"><rect width="%[1]d" height="20" rx="4"/></clipPath>`+
		`<g clip-path="url(#r)"><rect width="%[4]d" height="20" fill="#3a3733"/>`+
		`<rect x="%[4]d" width="%[5]d" height="20" fill="%[6]s"/></g>`+
		`<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`+
		`<text x="%[7]d" y="14">%[2]s</text><text x="%[8]d" y="14">%[3]s</text></g></svg>`,
		left+right, label, word, left, right, background, left/2, left+right/2)
}
