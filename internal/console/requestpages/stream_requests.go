package requestpages

import (
	"bytes"
	"net/http"

	"stoa.dev/stoa/internal/platform/journal"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/route/journalstream"
)

// Stream sends rows as requests are answered, until the reader leaves or may not read them
// any more, which allowed says.
func (p *Pages) Stream(w http.ResponseWriter, r *route.Request, allowed func() error) error {
	f, problem := filter(r.Query())
	if problem != "" {
		return route.ErrNoRoute
	}
	return journalstream.Stream{
		Journal: p.o.Journal, Allowed: allowed, Last: "event: end\ndata: \n\n",
		Event: func(record *journal.Record, _ *journal.Watcher) (string, error) {
			if !p.wanted(&f, record) {
				return "", nil
			}
			var line bytes.Buffer
			if err := p.templates.ExecuteTemplate(&line, "row", toRow(record)); err != nil {
				return "", err
			}
			return "data: " + string(bytes.ReplaceAll(address(r, line.Bytes()), []byte("\n"), nil)) + "\n\n", nil
		},
	}.Serve(w, r)
}
