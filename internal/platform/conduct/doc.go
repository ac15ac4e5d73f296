// Package conduct judges clients by the requests they made.
//
// A Rule says in one sentence what a service asks of its clients, why it matters and
// which statement of the contract it rests on. Services state their rules beside
// their routes (module.Module), and Common has those that hold everywhere. Run shows
// the records of a journal to the checks of all rules, one after the other in the
// order in which the requests ended, and returns what was found.
//
// A check keeps what it must remember in a Memory of bounded size and never holds a
// record: a report over a whole journal takes little memory. A check that forgets may
// miss a breach; it must not invent one. When it is unclear whether a client could
// have known better (it asked before the answer was there, the body was not kept
// whole, the world's clock stands), a check says nothing.
//
// Waiting is measured on the world's clock and on the machine's, and the longer of
// the two counts: a client that sleeps in earnest in a world whose clock stands has
// waited, and so has one whose world was moved on.
//
// The package owns rules, their checks and what they found. It does not know how a
// report looks (lab/report), or HTTP servers.
package conduct
