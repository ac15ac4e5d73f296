package main

import (
	"bytes"
	"fmt"
)

// page is docs/mutation.md.
func page(all []outcome) []byte {
	var b bytes.Buffer
	noticed := 0
	for _, o := range all {
		if o.By != "" {
			noticed++
		}
	}
	fmt.Fprintf(&b, `# Planted faults

<!-- Written by `+"`make mutate`"+`. Do not edit. -->

A seeded sample of small faults, planted one at a time in the services: a status becomes another one, a member of an
answer stays empty, a check that refuses is skipped. A fault is noticed when a test of the service, one of its
conformance rows or one of its failures in the lab fails. **%d of %d were noticed.** Made by:

    make mutate

| service | place | fault | noticed by |
|---|---|---|---|
`, noticed, len(all))
	for _, o := range all {
		by := "`" + o.By + "`"
		if o.By == "" {
			by = "**no test**"
		}
		fmt.Fprintf(&b, "| %s | %s:%d | %s: `%s` | %s |\n", o.Service, o.File, o.Line, o.Kind, cell(o.What), by)
	}
	return b.Bytes()
}

// cell makes a text fit for a column of the table.
func cell(s string) string {
	const width = 60
	runes := []rune(s)
	if len(runes) > width {
		runes = append(runes[:width:width], '…')
	}
	return string(bytes.ReplaceAll([]byte(string(runes)), []byte("|"), []byte(`\|`)))
}
