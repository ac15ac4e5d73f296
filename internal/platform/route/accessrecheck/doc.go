// Package accessrecheck ends answers that go on for as long as their reader stays, such as streams
// of events, once the reader may no longer have them. A request is allowed once, at its
// beginning; the handler of such an answer asks again while it lasts.
package accessrecheck
