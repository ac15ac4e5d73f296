// Package budget bounds what the work of requests may take from the process:
// memory, places in a bounded pool of programs, and steps of a loop.
//
// A Pool is a weighted semaphore with a share per owner. The process has one
// over bytes (world.World.Memory): a body is weighed by the mux, its beginning before
// the handler sees it and the rest as it comes, and whatever turns a small text into something large takes
// the difference before it works. A service that runs programs or evaluations
// has a Pool of places of its own. Steps counts what loops on a caller's input
// and ends it.
//
// # Promises
//
//   - What is held never exceeds Total, nor what one owner holds PerOwner, nor
//     what all callers without a credential hold together Anonymous, nor what
//     owners hold beyond their Share together Beyond.
//   - Waiting work is served by owner: the one that holds the least is next,
//     among equals the one that has waited longest. An owner with a thousand
//     waiting requests delays another owner's single one by one piece of work.
//   - An owner has at most 256 pieces of work waiting, none longer than Wait; then the answer is *limit.Exceeded, which
//     every envelope answers with 429 and Retry-After.
//   - What can never fit is *wire.SizeError, which every envelope answers with
//     413. Steps that are used up are a *wire.SyntaxError, a refusal of the
//     request's content.
//   - A Grant that grows never waits while it holds, so that no two grants wait
//     for each other.
//
// Waiting is real time, whatever the world's clock does: it paces the machine.
package budget
