package calendar

import "strconv"

// foreground is readable on every background there is.
const foreground = "#1d1d1d"

// calendarColors and eventColors are the palettes; a color's id is its place,
// counted from 1.
func calendarColors() []string {
	return []string{
		"#ac725e", "#d06b64", "#f83a22", "#fa573c", "#ff7537", "#ffad46", "#42d692", "#16a765", "#7bd148", "#b3dc6c", "#fbe983", "#fad165",
		"#92e1c0", "#9fe1e7", "#9fc6e7", "#4986e7", "#9a9cff", "#b99aff", "#c2c2c2", "#cabdbf", "#cca6ac", "#f691b2", "#cd74e6", "#a47ae2",
	}
}

func eventColors() []string {
	return []string{
		"#a4bdfc", "#7ae7bf", "#dbadff", "#ff887c", "#fbd75b", "#ffb878", "#46d6db", "#e1e1e1", "#5484ed", "#51b749", "#dc2127",
	}
}

// colorOf finds a color by its id; empty when there is none.
func colorOf(palette []string, id string) string {
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(palette) || strconv.Itoa(n) != id {
		return ""
	}
	return palette[n-1]
}

// colored fills in what the color id stands for, unless the entry has colors
// of its own.
func (e entryJSON) colored() entryJSON {
	if e.ColorID != "" {
		e.BackgroundColor, e.ForegroundColor = colorOf(calendarColors(), e.ColorID), foreground
	}
	return e
}
