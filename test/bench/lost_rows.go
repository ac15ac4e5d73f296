package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// lossLimit is how much of its last measurement a row may lose. Two runs on a quiet
// machine differ by less.
const lossLimit = 0.10

// batchSize is the part of a row's name that changes from run to run. It is immutable.
var batchSize = regexp.MustCompile(`, [0-9.]+ rows a commit$`)

// warnOfLosses compares a table with the page that is there and names what lost.
func warnOfLosses(file, table string) (lost int, err error) {
	old, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	lines := lostRows(string(old), table)
	for _, line := range lines {
		fmt.Println("lost:", line)
	}
	return len(lines), nil
}

// lostRows are the rows that are more than lossLimit worse than in the old page, with
// both numbers.
func lostRows(old, table string) (lost []string) {
	before := map[string]standing{}
	for line := range strings.Lines(old) {
		if name, s, ok := parseRow(line); ok {
			before[name] = s
		}
	}
	for line := range strings.Lines(table) {
		name, now, ok := parseRow(line)
		was, known := before[name]
		if !ok || !known || was.unit != now.unit || was.value == 0 || now.value == 0 {
			continue
		}
		kept := now.value / was.value
		if now.smaller {
			kept = was.value / now.value
		}
		if kept < 1-lossLimit {
			lost = append(lost, fmt.Sprintf("%s: %s before, %s now, %.2f of it", name, was, now, kept))
		}
	}
	return lost
}

// standing is what a row is compared by: the ratio to the bare server where there is
// one, because it travels between machines, or else what was measured.
type standing struct {
	value   float64
	unit    string
	smaller bool // is better
}

func (s standing) String() string {
	return strings.TrimSpace(strconv.FormatFloat(s.value, 'g', 5, 64) + " " + s.unit)
}

// parseRow reads a line that printLine wrote.
func parseRow(line string) (name string, s standing, ok bool) {
	cells := strings.Split(strings.TrimSpace(line), " | ")
	if len(cells) < 4 || !strings.HasPrefix(cells[0], "| ") {
		return "", standing{}, false
	}
	name = batchSize.ReplaceAllString(strings.TrimPrefix(cells[0], "| "), "")
	if ratio, err := strconv.ParseFloat(strings.TrimSpace(cells[3]), 64); err == nil {
		return name, standing{value: ratio, unit: "of bare"}, true
	}
	number, unit, sized := strings.Cut(strings.TrimSpace(cells[2]), " ")
	value, err := strconv.ParseFloat(number, 64)
	if !sized {
		unit = "a second"
	}
	return name, standing{value: value, unit: unit, smaller: sized}, err == nil
}
