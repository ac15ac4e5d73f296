// Package tagging keeps the tags of sites and of the items on them, with their rules.
//
// A tag belongs to one site, keeps the spelling it was first given, and is never renamed or deleted. Who may tag an
// item, and what is counted about tags, is the service's.
package tagging
