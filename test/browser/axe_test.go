package browser_test

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/chromedp/chromedp"
)

// violation is what axe-core found.
type violation struct {
	ID    string   `json:"id"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// judge asks axe-core about the page in both colour schemes, where it was fetched. What
// stands on every page is reported once for each tab.
func (b *tab) judge(name string) {
	b.t.Helper()
	if b.axe == "" {
		return
	}
	for scheme, rules := range map[string]string{
		// Only the colours differ, and they are the slowest rule.
		"light": `{type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}`,
		"dark":  `{type: "rule", values: ["color-contrast"]}`,
	} {
		b.emulate(scheme)
		found := b.violations(rules)
		b.record.judged(b, len(found))
		for _, v := range found {
			key := v.ID + strings.Join(v.Nodes, "")
			if b.reported[key] {
				continue
			}
			b.reported[key] = true
			b.t.Errorf("%s, %s: %s: %s\n  %s", name, scheme, v.ID, v.Help, strings.Join(v.Nodes, "\n  "))
		}
	}
}

// violations runs rules on the page. Long pages take long on a busy machine.
func (b *tab) violations(rules string) []violation {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 10*stepTime)
	defer cancel()
	run := func(expression string) string {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](expression))
		if err != nil {
			b.t.Fatalf("axe-core on %s: %v", evaluate[string](b, "location.href"), err)
		}
		return text
	}
	run(`typeof window.axe === "object" ? "" : (` + "() => {" + b.axe + "\n})() ?? \"\"")
	run(`window.found = "", axe.run(document, {resultTypes: ["violations"], runOnly: ` + rules + `}).then(r => {
		window.found = JSON.stringify(r.violations.map(v => ({
			id: v.id, help: v.help, nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))}))) }), ""`)
	var list []violation
	for {
		if text := run(`window.found`); text != "" {
			if err := json.Unmarshal([]byte(text), &list); err != nil {
				b.t.Fatal(err)
			}
			return list
		}
	}
}
