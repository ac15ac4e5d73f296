// Package crash proves the first promise: an acknowledged write survives
// kill -9.
//
// Writers write to the true binary over its HTTP face and its admin socket and
// keep a ledger of what was acknowledged. The process is killed in the middle,
// started again, which is measured, and audited: nothing in the ledger may be lost, nothing that
// was replaced may come back. A request that was cut off may have happened or
// not; both are accepted, half of it is not. A workflow that is due while the process is
// killed is run for that time, and once. A batch of requests to a model goes on and holds every
// answer once. Of three servers on one PostgreSQL one after the other is killed, with messages
// under way: all arrive. A process is killed in the middle of a backup and of a saved world:
// what is offered afterwards is whole, and the copy is made when it is asked for again.
//
// On PostgreSQL the network to it is made bad in eight ways, and cut between a commit and
// its answer: requests end in time, and one that is sent again has one effect.
package crash
