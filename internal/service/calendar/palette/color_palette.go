package palette

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// Foreground is readable on every background there is.
const Foreground = "#1d1d1d"

// Calendar is the colors of calendars.
func Calendar() []string {
	return []string{
		"#ac725e", "#d06b64", "#f83a22", "#fa573c", "#ff7537", "#ffad46", "#42d692", "#16a765", "#7bd148", "#b3dc6c",
		"#fbe983", "#fad165",
		"#92e1c0", "#9fe1e7", "#9fc6e7", "#4986e7", "#9a9cff", "#b99aff", "#c2c2c2", "#cabdbf", "#cca6ac", "#f691b2",
		"#cd74e6", "#a47ae2",
	}
}

// Event is the colors of events.
func Event() []string {
	return []string{
		"#a4bdfc", "#7ae7bf", "#dbadff", "#ff887c", "#fbd75b", "#ffb878", "#46d6db", "#e1e1e1", "#5484ed", "#51b749",
		"#dc2127",
	}
}

// Find gives the color with an id; empty when there is none.
func Find(palette []string, id string) string {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(palette) || strconv.Itoa(n) != id {
		return ""
	}
	return palette[n-1]
}

// Valid reports whether a text is a color, written #rrggbb.
func Valid(text string) bool {
	digits, ok := strings.CutPrefix(text, "#")
	_, err := hex.DecodeString(digits)
	return ok && err == nil && len(digits) == 6
}

// Colors is Colors of the contract.
type Colors struct {
	Kind     string           `json:"kind"`
	Updated  string           `json:"updated"`
	Calendar map[string]Color `json:"calendar"`
	Event    map[string]Color `json:"event"`
}

// Color is a background and what is readable on it.
type Color struct {
	Background string `json:"background"`
	Foreground string `json:"foreground"`
}

// All is every color there is.
func All() *Colors {
	return &Colors{
		Kind: "calendar#colors", Updated: "2012-02-14T00:00:00.000Z",
		Calendar: numbered(Calendar()), Event: numbered(Event()),
	}
}

func numbered(colors []string) map[string]Color {
	out := make(map[string]Color, len(colors))
	for i, color := range colors {
		out[strconv.Itoa(i+1)] = Color{Background: color, Foreground: Foreground}
	}
	return out
}
