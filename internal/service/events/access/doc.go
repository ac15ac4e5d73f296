// Package access decides what a caller of the code host may see and make: repositories,
// accounts and memberships. REST and GraphQL ask it alike, so that what one hides the other does
// not show. What a caller may not see is not found.
package access
