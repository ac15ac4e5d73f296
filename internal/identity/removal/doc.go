// Package removal removes users, organizations and teams. It refuses while something
// belongs to them and says what; modules state that themselves (platform/ownership).
// There is no way to remove the owner with all that is owned: files, repositories and
// pictures are beside the rows, and others may use them. The services' own operations
// delete those, and the removal goes through once they are gone.
//
// What goes at once, in the same transaction: sessions, tokens, keys, grants,
// memberships, accounts at a provider, and the settings that services keep.
//
// History stays. A user who is mentioned in others' things keeps a row with nothing but
// the name, and the name is given to no other user: some histories know users by name, and
// who got the name would get them too.
package removal
