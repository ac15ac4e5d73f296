package design

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"html/template"
	"strings"
	"sync"
	"time"
)

//go:embed assets/*
var files embed.FS

// The addresses that the console serves the assets at.
const (
	stylePath  = "/console/style.css"
	scriptPath = "/console/console.js"
)

// Assets are the files that pages load. They never change while a program runs.
type Assets struct{ Style, Script, Icon []byte }

// Load reads what is embedded. Assets are immutable and the same in all worlds.
var Load = sync.OnceValue(func() *Assets {
	a := &Assets{Script: asset("console.js"), Icon: asset("icon.svg")}
	for _, name := range []string{"style.css", "front.css", "reading.css", "components.css"} {
		a.Style = append(a.Style, asset(name)...)
	}
	return a
})

func asset(name string) []byte {
	content, err := files.ReadFile("assets/" + name)
	if err != nil {
		panic(err)
	}
	return content
}

// StyleURL changes with the sheet, so that browsers may keep it.
func (a *Assets) StyleURL() string { return stylePath + "?v=" + version(a.Style) }

// ScriptURL changes with the script.
func (a *Assets) ScriptURL() string { return scriptPath + "?v=" + version(a.Script) }

// version changes with the content.
func version(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:6])
}

// Functions are what templates of pages share.
func Functions() template.FuncMap {
	return template.FuncMap{
		"credentials": func() template.HTML { return credentials },
		"time":        Time,
		"date":        func(t time.Time) string { return t.UTC().Format("2 January 2006") },
		"name":        Name,
		"stamp":       func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" },
	}
}

// credentials says below a command where its variables come from.
const credentials template.HTML = `<p class="hint">$STOA_TOKEN and the like are set by ` +
	`<code>. stoa-data/demo.env</code> of a demo world, by ` +
	`<code>eval "$(stoa --data ./stoa-lab --world NAME env SERVICE)"</code> in a lab, ` +
	`or by hand to a <a href="/console/tokens">token</a> of yours.</p>`

// Time is a time with its zone, on at most two lines; the exact one is the title. The
// same time looks the same in a list, a form and the log: the script adds the reader's
// own zone to the title and changes no text.
func Time(t time.Time) template.HTML {
	exact := t.UTC().Format(time.RFC3339Nano)
	//nolint:gosec // digits and letters of a format
	return template.HTML(`<time datetime="` + exact + `" title="` + exact + `"><span>` +
		t.Format("2006-01-02") + `</span> <span>` + t.Format("15:04:05 MST") + `</span></time>`)
}

// Name is a long name, such as one of a setting, that breaks between its parts and not
// within them.
func Name(name string) template.HTML {
	//nolint:gosec // escaped; what is added is fixed
	return template.HTML(strings.NewReplacer(".", ".<wbr>", "_", "_<wbr>").Replace(template.HTMLEscapeString(name)))
}

// Reachable lets code that a service has rendered be scrolled with the keyboard: what
// scrolls has to take the focus. Services escape the sign in texts and attributes.
func Reachable(rendered template.HTML) template.HTML {
	//nolint:gosec // what is added is fixed
	return template.HTML(strings.ReplaceAll(string(rendered), "<pre>", `<pre tabindex="0">`))
}

// Showcase is the content of the page that shows every component.
func Showcase() template.HTML {
	//nolint:gosec // a file of the program
	return template.HTML(asset("showcase.html"))
}
