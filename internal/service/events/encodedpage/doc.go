// Package encodedpage makes the pages of a list whose items are encoded already: each
// page once, compressed once, with the tags and the Link header that are sent with it.
// Many requests at once ask for the same page.
package encodedpage
