// Package listentry keeps the calendars on the lists of users: the document of an entry, the rules of what a client may
// say in it, and the rows, numbered by the changes of their list. Who may see which calendar is the service's.
package listentry
