// Package grants is the OAuth 2.0 machine that the services share: it turns the
// permission of a user into tokens of an application. Services speak its outcomes
// in the words of their contracts; no envelope and no endpoint is here.
//
// # Flows
//
// An authorization code (RFC 6749 section 4.1, with proof keys of RFC 7636) is made
// by IssueCode once the user has consented, and exchanged by RedeemCode. A device
// code (RFC 8628) is made by StartDevice, decided by Decide, and exchanged by
// PollDevice. A refresh token is exchanged by Refresh.
//
// Each flow decides for itself whether a grant is good; all of them end in claim
// or rotate, which make the tokens in the transaction that uses up what was
// presented. A flow that is added later ends there too.
//
// # Families
//
// A grant becomes tokens once, all of one family. A code or a refresh token that is
// presented a second time ends the family (RFC 9700 section 4.14), because one of
// the two who presented it is not the client. Whether the user may still act is
// asked in the transaction that issues.
//
// # What it owns
//
// The tables identity_grants and identity_org_policies. Users, clients and tokens
// are identity's; the policies of organizations are asked in one statement each,
// which joins identity's tables of clients and members.
//
// Polling writes nothing: the times of polls are in memory. A restart forgives one
// early poll, and of several processes each judges the polls it sees.
package grants
