// Package sharedpage answers all who ask for a page at the same time with one page. It is for a page that
// is the same for all, costs much to make, and needs no credential: asking for it often, from
// however many connections, takes a bounded part of the processors, and memory for the pages that are
// still being sent, not for one a client. Parameters pick nothing: a page for one client alone could not be shared.
//
// A page is made after the request for it came, never before: who asks sees what was counted until
// then. One is made at a time, and after it there is a pause of seven times as long as it took,
// in which those gather that the next one is for.
package sharedpage
