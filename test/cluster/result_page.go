package main

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// findings are the table and the audit.
type findings struct {
	rows     []row
	verdicts map[string]verdict
	previous string // the commit that was upgraded from
}

// labels are the streams in the order of the table.
func labels() []string { return []string{"tasks", "events", "keys", "pictures", "jobs"} }

// add prints a row as soon as it is there.
func (f *findings) add(r row) {
	if len(f.rows) == 0 {
		fmt.Printf("%-56s %s %7s %7s\n", "what was done", "longest time without an acknowledged write", "acked", "refused")
	}
	f.rows = append(f.rows, r)
	fmt.Printf("%-56s", r.what)
	for _, label := range labels() {
		fmt.Printf(" %s %s", label, seconds(r.stood[label]))
	}
	fmt.Printf(" %7d %7d\n", r.acked, r.refused)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// judge prints the audit. A message or a job may come again where its receiver was told
// and the answer was lost; nothing else may.
func (f *findings) judge() error {
	var err error
	for _, label := range labels() {
		v := f.verdicts[label]
		fmt.Printf("%s: %d acknowledged, %d lost, %d repeated, %d reordered, %d ended as infrastructure_fail\n", label,
			v.acked, v.lost, v.repeated, v.reordered, v.broken)
		again := v.repeated
		if label == "events" || label == "jobs" {
			again = 0
		}
		if v.acked == 0 || v.lost+v.reordered+again > 0 {
			err = errors.Join(err, fmt.Errorf("%s: what is stored is not what was acknowledged", label))
		}
	}
	return err
}

// page is docs/reliability-cluster.md.
func (f *findings) page() string {
	var b strings.Builder
	fmt.Fprintf(&b, `# A cluster that is broken on purpose

Written by `+"`go run ./test/cluster -write`"+` on %s; do not edit. `+"`make cluster-check`"+` runs it again, and
`+"`go test ./test/cluster`"+` a short form.

Three PostgreSQL under Patroni (synchronous, one etcd), HAProxy, pgbouncer in transaction mode, three nodes, a worker, and
versitygw as the S3 server, on one machine. The nodes begin with commit %s, which lacks the last migration. Clients
write all the time: tasks through each node, the others through any node that answers. Times are seconds without an
acknowledged write, on a busy machine with Patroni's ttl at 20 s; for tasks, of which each client stays with its node,
those of the client that waited least.

| what was done | tasks | events | keys | pictures | jobs | acknowledged | refused |
|---|--:|--:|--:|--:|--:|--:|--:|
`, time.Now().UTC().Format("2006-01-02"), f.previous)
	for _, r := range f.rows {
		fmt.Fprintf(&b, "| %s |", r.what)
		for _, label := range labels() {
			fmt.Fprintf(&b, " %s |", seconds(r.stood[label]))
		}
		fmt.Fprintf(&b, " %d | %d |\n", r.acked, r.refused)
	}
	b.WriteString(`
A write without an answer, or with a status other than success, is refused; a part of them was done, which the
clients find out as the contracts say (the same id, the same key).

| writes | acknowledged | lost | repeated | reordered | infrastructure_fail |
|---|--:|--:|--:|--:|--:|
`)
	for _, label := range labels() {
		v := f.verdicts[label]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", label, v.acked, v.lost, v.repeated, v.reordered, v.broken)
	}
	b.WriteString(`
Repeated and reordered of events are the messages to a channel that watches them; a message whose answer was lost is
sent again with its number. Repeated jobs were interrupted and run again. A job whose worker
cannot reach the database while it runs ends as infrastructure_fail and is not run again by itself. The restore to a moment starts PostgreSQL
from a base backup and the archived log, a node on it and a copy of the bucket: every task and picture acknowledged
before the moment is there, no task sent after it, and ` + "`stoa check`" + ` finds no damage.
`)
	return b.String()
}
