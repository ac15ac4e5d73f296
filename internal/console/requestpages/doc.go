// Package requestpages shows what a world was asked and what it answered: a list with
// filters that grows by itself, one request with headers, bodies, caller, reason,
// limits, fault, members that were not read and what it caused, the same request for
// curl, and the request sent again with changes.
//
// Requests come from the journal (platform/journal), which masks secrets. In a lab it
// keeps whole requests; in a served world it is off until an administrator looks at the
// page, and then keeps requests without headers and bodies, in memory, until an hour has
// passed since the last look. The pages are for administrators alone.
package requestpages
