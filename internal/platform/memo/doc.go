// Package memo is the one cache in memory: bounded by bytes or by number, counted,
// and safe for concurrent use.
//
// A key names everything that a value was made of. Where the data can change,
// its revision is part of the key, and the caller reads that revision from the
// database first, on every request. So a cached value is never stale, with one
// process or with many, on both engines: when the data changes, the key does.
// Read the revision before the data: a value may then be newer than its key,
// which no later caller asks for, but never older.
//
//	type answerKey struct {
//		userID, revision int64
//		url              string
//	}
//	answers := memo.New(8<<20, func(k answerKey, v []byte) int { return len(k.url) + len(v) })
//
// Where one process sees every change there may be no revision to read. Then the
// writer calls Forget after its commit and before it is answered, and readers pass on
// the mark of before their read:
//
//	p, mark, ok := projects.Look(id)
//	if !ok {
//		p = read(id)
//		projects.PutSince(id, p, mark)
//	}
//
// A value that was read before a change and arrives after it is not cached, so what
// is found is never older than the last change that was forgotten.
//
// Sharded spreads the locks, for what every request looks up. Its values may end
// after a time.
//
// The policy is SIEVE: a value that was read since the last look is passed
// over once, and the next one that was not is evicted. Values under an old
// revision are not read again and so go first. Reading takes a shared lock and
// writes nothing but a counter.
package memo
