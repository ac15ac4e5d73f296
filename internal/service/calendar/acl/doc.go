// Package acl keeps the access rules of calendars and says which role they give a user.
//
// A rule gives a role to a user, a group, a domain or to everybody. Rules are numbered by their changes and never
// deleted: one that was taken back gives the role none. What a role allows is package permission's, what a changed rule
// ends is the service's.
package acl
