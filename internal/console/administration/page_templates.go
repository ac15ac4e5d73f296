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
<p class="lead">{{.All}} settings, read once at the start. A flag wins over a variable, a variable over the file, the file over the default. Secrets are masked. <a href="/docs/settings">All settings</a></p>
<form class="filters" method="get" action="/console/administration/settings"><div class="wide"><label for="s-text">Text <span class="hint">part of a name, a value or a meaning</span></label><input id="s-text" name="text" value="{{.Text}}"></div>
<div><label class="check"><input type="checkbox" name="changed" value="yes"{{if .Changed}} checked{{end}}><span>Given only</span></label></div><div><button class="second">Filter</button></div></form>
{{if .List}}<div class="scroll" tabindex="0" role="region" aria-label="Settings"><table class="data"><thead><tr><th scope="col">Setting</th><th scope="col">Value</th><th scope="col">Origin</th><th scope="col">Meaning</th></tr></thead>
<tbody>{{range .List}}<tr><th scope="row"><code>{{name .Name}}</code><br><span class="hint">{{name .Variable}}</span></th><td data-title="Value">{{with .Value}}{{.}}{{else}}<span class="none" aria-label="none">–</span>{{end}}</td><td data-title="Origin">{{if eq .Origin "default"}}default{{else}}<span class="badge">{{.Origin}}</span>{{if .Changed}}{{with .Default}} <span class="hint">default {{.}}</span>{{end}}{{end}}{{end}}</td><td data-title="Meaning">{{.Meaning}}</td></tr>{{end}}</tbody></table></div>
{{if or .First .Next}}<p class="pages">{{with .First}}<a class="button second" href="{{.}}">First page</a>{{else}}<span></span>{{end}}{{with .Next}}<a class="button second" href="{{.}}" rel="next">Next page</a>{{end}}</p>{{end}}
{{else}}<div class="card blank"><p>No setting matches. <a href="/console/administration/settings">Show all</a></p></div>{{end}}{{end}}
{{define "backup"}}<div class="head"><h1>Backup</h1></div>
<p class="lead">Everything of one moment, made while the server runs, by the code of <code>stoa backup</code>: database, blobs, repositories and keys.</p>
{{with .Elsewhere}}<p class="problem" role="alert">{{.}} lies outside of the data folder. Back it up with its own tools, in the order of <a href="/docs/operations-scale">Databases, nodes, backup and upgrade</a>.</p>{{else}}
<form class="form card" method="post" action="/console/administration/backup"><input type="hidden" name="form" value="{{.Form}}">
<p>The download is one <code>.tar</code> file. It is copied to a temporary folder of the server first, so there must be space for a second copy of the data folder. Writes wait while the last part is copied.</p>
<p><strong>It holds the root key and all that users have stored.</strong> Keep it where only you can read it.</p>
<label for="b-password">Your password</label><input id="b-password" name="password" type="password" autocomplete="current-password" required>
<p class="actions"><button>Download a backup</button></p></form>{{end}}
<section class="card"><h2>Restore</h2><p>A backup is restored into a new data folder while no server runs there, so it is a command and not a page: a server cannot replace the data that it serves. Every file is compared with its SHA-256 first, and nothing is overwritten.</p>
<div class="copy"><pre class="line" tabindex="0">mkdir backup &amp;&amp; tar -xf stoa-backup-*.tar -C backup &amp;&amp; {{.Restore}}</pre><button type="button" class="second small" data-copy hidden>Copy</button></div>
<p class="hint">Then start the server with the new folder. Make a backup on the machine itself with <code>stoa backup FOLDER</code>. Who made backups is in the <a href="/console/data/administration/audit?action=backup">audit trail</a>.</p></section>{{end}}
{{define "storage"}}<div class="head"><h1>Storage</h1></div>
<dl class="card members"><div><dt>Data folder</dt><dd><code>{{.Folder}}</code></dd></div><div><dt>Database</dt><dd>{{.Engine}}</dd></div>
<div><dt>Requests kept in memory</dt><dd>{{.Requests}}, {{.RequestBytes}}</dd></div></dl>
<div class="scroll" tabindex="0" role="region" aria-label="Data folder"><table class="data"><thead><tr><th scope="col">In the data folder</th><th scope="col">Size</th><th scope="col">Files</th></tr></thead>
<tbody>{{range .List}}<tr><th scope="row">{{.Name}}</th><td data-title="Size">{{.Bytes}}</td><td data-title="Files">{{.Files}}</td></tr>{{end}}</tbody></table></div>
{{if .Partly}}<p class="hint">There are more files than were counted.</p>{{end}}
<p class="hint">Copy it while it runs: <a href="/console/administration/backup">Backup</a>.</p>{{end}}`
