// Package seed reads, applies, writes and describes seed files: one YAML file that
// says what a world begins with.
//
//	users:
//	- name: mary
//	  password: correct horse battery
//	  tokens: [{variable: MARY_TOKEN}]
//	taskLists:
//	- user: mary
//	  title: Opening
//	  tasks: [{title: Sweep the steps}]
//
// Each member of the file is a Section, a list of one type of element. Who owns the
// data states the section in its module: how one element is applied, through the
// same methods and checks as a request, and how the elements of a living world are
// found. Struct tags are the only description of an element: json names a member,
// which is required without omitempty; enum lists the values of a text; doc is what
// editors show. Decoding, the JSON schema and the written file follow from them.
//
// A failure names line and column, whether the text is not YAML, a member is not
// known or a service refuses an element. The file is checked whole before the first
// element is applied; elements are then applied in order, each in transactions of
// its own, so that what stands before a refused one stays.
//
// Texts have at most MaxText bytes and MaxDepth levels; anchors, aliases, tags and
// merge keys are refused, because they make a small file large.
package seed
