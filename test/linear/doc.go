// Package linear checks that what concurrent clients see could have happened one after
// the other: histories of real processes, on one node with SQLite and on three nodes
// with PostgreSQL, while a node is killed and comes back and another one is paused,
// against models of what they write: an event with If-Match, keys that are exchanged, tasks
// that are moved, device codes that are redeemed, channels that are made and stopped, and a
// limit that is used up. With -args -for=60s eight clients act for that long, one history
// after the other, and PostgreSQL is restarted in every second round.
//
// A write whose answer did not come may have happened or not, at any later time; all
// else must fit a single order in which every act lies between its call and its answer.
package linear
