package resource

import "regexp"

// Resource is one kind of thing that a service holds.
type Resource struct {
	// Name is the last part of the page's address, in lower case.
	Name string
	// Title names many of them, One a single one with its article, as in "a task".
	Title, One string
	// About says in one sentence what they are, on the card of those at the top too; Empty what to do when there
	// are none.
	About, Empty string
	// Gone says in a sentence what becomes of them by itself, for the page of one that is no longer there.
	Gone string
	// In names the resource that they lie in; empty for those at the top.
	In string
	// Admin resources are for administrators alone.
	Admin bool
	// Single resources are one thing and no list: List reads it.
	Single bool

	// List reads many; Items points at the array in its answer.
	List  Call
	Items string
	// Filters are what can be asked of the list. One that is required, or that names
	// a parameter of the list's pattern, has to be filled in first.
	Filters []Field
	Paging  Paging
	// Key names one of them; Label is what pages call it, the key when empty.
	Key   []Key
	Label string
	// NamesInner means that the key says nothing to a person: pages about what lies in
	// one of them read its label, which is a further call.
	NamesInner bool
	// Get reads one, and Item points at it in the answer; without a call the row of the
	// list is all there is.
	Get  Call
	Item string
	// Columns are what the list shows, and what a thing's page shows first. The first one
	// stands in the list.
	Columns []Column
	// Drawing shows the list as a picture, and Lookup adds to its rows.
	Drawing *Drawing
	Lookup  *Lookup
	// Calendar shows those that have a time as weeks and months too.
	Calendar *Calendar
	// Actions are what can be done.
	Actions []Action
	// Prose points at the HTML of the thing's text, which the service has cleaned.
	Prose string
	// Page is the address of a page that the service itself has about one of them,
	// with parameters as in a route's pattern; PageTitle is the text of its link.
	Page, PageTitle string
}

// Call is an operation of the service, or a command of the operator.
type Call struct {
	// Operation is the name in the route table, Command the path of the command.
	Operation, Command string
	// Query holds parameters that never change, or {name} of one that a key fills.
	Query map[string]string
	// Parameters fill wildcards of the pattern that neither a key nor a field fills.
	Parameters map[string]string
}

// None reports whether there is no call.
func (c Call) None() bool { return c.Operation == "" && c.Command == "" }

var wildcard = regexp.MustCompile(`\{([a-zA-Z_0-9]+)(?:\.\.\.)?\}`)

// Parameters are the wildcards of a route's pattern, in order.
func Parameters(pattern string) []string {
	var names []string
	for _, found := range wildcard.FindAllStringSubmatch(pattern, -1) {
		names = append(names, found[1])
	}
	return names
}

// Key is one part of what names a thing: the parameter that it fills, where it stands
// in an item, and what is cut off before it.
type Key struct{ Parameter, Pointer, Prefix string }

// PageRows is how many rows a page of a list shows, where the list can say: a browser
// takes about a millisecond to lay out one.
const PageRows = 50

// Paging is how a list goes on. Token is the name of the parameter that takes what
// Next points at in the answer; Number is the name of the parameter for a page's
// number, where Link headers say whether there is another; After takes the key of the
// last row.
type Paging struct {
	Token, Next   string
	Number, After string
	// Last points at what is true on the last page, in answers to a number that begins
	// with zero. Offset takes how many rows come before.
	Last, Offset string
	// Size is the name of the parameter for the rows of a page, Per their number.
	Size string
	Per  int
}

// Whole reports whether the list comes in one answer.
func (p Paging) Whole() bool {
	return p.Token == "" && p.Number == "" && p.After == "" && p.Last == "" && p.Offset == ""
}

// Column is one member of an item. Further pointers are tried where the first is
// missing.
type Column struct {
	Title   string
	Pointer string
	Or      string
	Kind    Kind
	// Address is a path on this server with members of the item in braces, instead of a
	// pointer: the column shows where that is.
	Address string
	// Only is where it is shown, for what the other answer does not have; empty shows it
	// in the list and on the thing's page.
	Only Shown
}

// Shown is a page of a resource.
type Shown string

// The pages.
const (
	InList Shown = "list"
	InItem Shown = "item"
)

// Calendar says where the times of an item stand, and the parameters of the list that
// bound them. Zone points at the name of the time zone in what the items lie in: all
// times on their pages are in it.
type Calendar struct {
	Title         string
	Start, End    []string
	After, Before string
	Zone          string
}

// Action is something that can be done to one of the things, or to all of them.
type Action struct {
	// Name is part of the page's address, Title the text of the button.
	Name, Title string
	// Text says before it is done what it does.
	Text string
	// One actions are about one of the things, the others about the list.
	One bool
	// Edit fills the fields with what the thing has, and sends those that were changed.
	Edit bool
	// Danger actions destroy, and ask again.
	Danger bool
	// Shows means that the answer is what was wanted, and is shown.
	Shows bool
	// Picture points at the address of an image in the answer, and Graph names the
	// parameters of an action that draws a query over a time.
	Picture string
	Graph   *Graph
	// Chat makes the form a conversation.
	Chat *Chat

	Call   Call
	Fields []Field
	// Body holds members that are sent always, by pointer; a text such as {id} is that parameter of the key.
	Body map[string]any
	// Undo names the action that takes back what this one did: one about the same thing
	// brings it back, another makes it again of the values that its fields had.
	Undo string
	// Leaves means that the thing may be gone soon: the list is shown after it.
	Leaves bool
	// Then names the resource inside of the thing that is shown after it.
	Then string
	// Hidden actions have no button of their own.
	Hidden bool
	// If is when there is a button; nil means always.
	If *Condition
	// Makes means that the answer is another of the things, whose page is shown after it.
	Makes bool
	// Result is what a shown answer is read as, instead of all its members, and Note is
	// what a person does with it. Ends names the action about the list that ends what was
	// begun; it is offered with the members of the answer in its fields.
	Result []Column
	Note   string
	Ends   string
	// Done says what was done, as in "Job {id} runs now.", with members of the answer in
	// braces that are plain names; empty makes it of the title.
	Done string
}

// Condition holds where a call succeeds, or where a member of the thing is one of some
// texts. Not turns it round.
type Condition struct {
	Call    Call
	Pointer string
	OneOf   []string
	Not     bool
}

// Graph names the parameters of the query that take what is drawn, the first and the
// last second of it, and the title; Example is a query to begin with.
type Graph struct{ Query, Start, End, Title, Example string }

// Place is where a field's value goes.
type Place string

// The places; the zero one is the body.
const (
	InQuery Place = "query"
	InPath  Place = "path"
)

// Field is one value that a person types.
type Field struct {
	// Name is the member of the body without the first slash, as in "start/dateTime",
	// or the name of a parameter or argument.
	Name  string
	Title string
	Help  string
	Kind  Kind
	In    Place
	// From points at its value in the item, where that is not where it is sent.
	From string
	// Wrap puts each line of a list into an object under this name.
	Wrap     string
	Required bool
	Options  []string
	// Default is what the field begins with: a text, or "now" and a duration such as
	// "now-24h" for a time, or "unique" and a word for an id that was not used before.
	Default string
	// Preview is an operation that answers with the HTML that a text becomes, and
	// PreviewMember the member of its body that takes the text.
	Preview       Call
	PreviewMember string
	// Picture is an operation that keeps the picture that it is sent, and PictureMember
	// points at the text of its answer that shows the picture in this field.
	Picture       Call
	PictureMember string
}

// Kind is what a value is.
type Kind string

// The kinds. The zero one is a line of text.
const (
	Text      Kind = ""
	Multiline Kind = "multiline"
	Markdown  Kind = "markdown"
	Lines     Kind = "lines"
	Bool      Kind = "bool"
	Number    Kind = "number"
	Choice    Kind = "choice"
	Time      Kind = "time"
	Date      Kind = "date"
	Unix      Kind = "unix"    // seconds since 1970
	Millis    Kind = "millis"  // milliseconds since 1970
	Elapsed   Kind = "elapsed" // a duration in milliseconds
	Secret    Kind = "secret"
	JSON      Kind = "json"
	Code      Kind = "code"
	Link      Kind = "link"
	State     Kind = "state"
	Bytes     Kind = "bytes"
	Upload    Kind = "upload" // the content of a file, which a command finds as one
)
