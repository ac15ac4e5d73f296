// Package fieldmask reads the parameter fields of the API family and leaves of an
// encoded answer the members that it names.
//
//	fields=kind,items(id,start/dateTime)
//
// Members are separated by commas, a slash leads into a member, parentheses hold
// several members of one, and a star is every member. Lists are not written: the
// mask of a list is that of its elements. What a mask names has to exist in the
// type of the answer; what a type leaves open, such as a map, may be named freely.
package fieldmask
