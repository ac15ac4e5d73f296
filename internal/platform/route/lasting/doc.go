// Package lasting ends answers that go on for as long as their reader stays, such as streams
// of events, once the reader may no longer have them. A request is allowed once, at its
// beginning; who has such an answer asks again while it lasts.
package lasting
