package administration

import "strconv"

// bytesText is a size in the unit that is easiest to read.
func bytesText(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	size, i := float64(n), 0
	for size >= 1000 && i < len(units)-1 {
		size /= 1000
		i++
	}
	if i == 0 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + " " + units[i]
}

// pages are the templates.
const pages = `
{{define "health"}}<div class="head"><h1>Health</h1><p class="state{{if .Unhealthy}} bad{{end}}">{{if .Unhealthy}}{{.Unhealthy}} unhealthy{{else}}All healthy{{end}}</p></div>
<dl class="card members"><div><dt>Version</dt><dd>{{.Version}}</dd></div><div><dt>Database</dt><dd>{{.Engine}}</dd></div>
<div><dt>Dialect</dt><dd>{{.Dialect}}</dd></div><div><dt>Time of this world</dt><dd>{{time .Now}}</dd></div></dl>
<div class="scroll" tabindex="0" role="region" aria-label="Services"><table class="data"><thead><tr><th scope="col">Service</th><th scope="col">State</th><th scope="col">Reason</th></tr></thead>
<tbody>{{range .Checks}}<tr><th scope="row">{{.Title}}</th><td data-title="State"><span class="badge{{if .Problem}} bad{{end}}">{{if .Problem}}unhealthy{{else}}healthy{{end}}</span></td><td data-title="Reason">{{with .Problem}}{{.}}{{else}}<span class="none" aria-label="none">–</span>{{end}}</td></tr>{{end}}</tbody></table></div>
<p class="hint">Monitoring reads <a href="/readyz">/readyz</a> and <a href="/metrics">/metrics</a>.</p>{{end}}
{{define "settings"}}<div class="head"><h1>Settings</h1></div>
<p class="lead">{{.All}} settings, as they are in force. They are changed in the configuration file, by a variable of the environment or by a flag, and read at the start.</p>
<form class="filters" method="get" action="/console/administration/settings"><div class="wide"><label for="s-text">Text</label><input id="s-text" name="text" value="{{.Text}}" placeholder="part of a name or a value"></div>
<div><label class="check"><input type="checkbox" name="changed" value="yes"{{if .Changed}} checked{{end}}><span>Changed only</span></label></div><div><button class="second">Filter</button></div></form>
{{if .List}}<div class="scroll" tabindex="0" role="region" aria-label="Settings"><table class="data"><thead><tr><th scope="col">Setting</th><th scope="col">Value</th><th scope="col">Origin</th><th scope="col">Variable</th></tr></thead>
<tbody>{{range .List}}<tr><th scope="row"><code>{{.Name}}</code></th><td data-title="Value">{{with .Value}}{{.}}{{else}}<span class="none" aria-label="none">–</span>{{end}}</td><td data-title="Origin">{{if .Changed}}<span class="badge">set</span>{{with .Default}} <span class="hint">default {{.}}</span>{{end}}{{else}}default{{end}}</td><td data-title="Variable"><code>{{.Variable}}</code></td></tr>{{end}}</tbody></table></div>
{{else}}<div class="card blank"><p>No setting matches. Clear the text to see all.</p></div>{{end}}{{end}}
{{define "storage"}}<div class="head"><h1>Storage</h1></div>
<dl class="card members"><div><dt>Data folder</dt><dd><code>{{.Folder}}</code></dd></div><div><dt>Database</dt><dd>{{.Engine}}</dd></div>
<div><dt>Requests kept in memory</dt><dd>{{.Requests}}, {{.RequestBytes}}</dd></div></dl>
<div class="scroll" tabindex="0" role="region" aria-label="Data folder"><table class="data"><thead><tr><th scope="col">In the data folder</th><th scope="col">Size</th><th scope="col">Files</th></tr></thead>
<tbody>{{range .List}}<tr><th scope="row">{{.Name}}</th><td data-title="Size">{{.Bytes}}</td><td data-title="Files">{{.Files}}</td></tr>{{end}}</tbody></table></div>
{{if .Partly}}<p class="hint">There are more files than were counted.</p>{{end}}
<p class="hint">Back it up while it runs with <code>stoa backup</code>: see <a href="/docs/operations">Operations</a>.</p>{{end}}`
