// Package oauth is what token endpoints share on the wire: forms, client
// credentials in header or form, and the error bodies of RFC 6749 section 5.2
// with the statuses of the table that the contract's two device flows share.
//
// It knows no grants and no tokens. What happened is identity's to say, and
// each service chooses the code and the words for it.
package oauth
