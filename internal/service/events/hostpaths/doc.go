// Package hostpaths knows the paths of the code host's documented API, also those that
// are not served here: clients read the refusal of such a path in the code host's form.
//
// They are not prefixes of the service. A user or an organization may have the name of
// one, and has pages there.
package hostpaths
