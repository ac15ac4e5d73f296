// Package releases keeps the releases of a repository: a tag with a title and a text.
//
// A release that is published makes its tag when there is none, and is an event; one that is
// refused takes back the tag that was made for it. A draft is shown to those who may write,
// and is neither. Files cannot be added: the archives of the tag are what a release offers.
package releases
