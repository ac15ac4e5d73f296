// Package invitations lets owners and admins of a team invite others: an invitation is a mail address and
// an address of this server, which is good for a day and for one user who is signed in.
//
// No mail is sent: the answer holds the address, and the client hands it on. A user who has it may join,
// as with an invitation in a mail that was passed on; the mail address only names the invitation.
package invitations
