// Package ownership lets modules say which of their rows belong to a user, an
// organization or a team, and what becomes of them when that one is removed: rows that
// refuse the removal, rows that only mention it, and rows that go with it. Who removes
// knows no module's tables, and a module knows nothing of who removes.
package ownership
