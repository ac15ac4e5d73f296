package resource

// Drawing shows the rows of a list as a picture too. The rows stay below it: they are
// the picture in words. One of its parts is given.
type Drawing struct {
	// Title says what is drawn.
	Title  string
	Points *Points
	Needs  *Needs
}

// Points are rows with a place on the map and a number, of which a lower one is better:
// Good and Fair are the highest that are called so, and End is the highest that counts.
type Points struct {
	Latitude, Longitude, Value string
	Good, Fair, End            float64
}

// Needs are rows that need each other. Edges points at the array of the answer, From and
// To at the numbers of rows in one of its items; Name and Version stand in a row, and
// Mark points at what warns of one. One and Many are what rows are called, and Marked
// those with a mark, as in "with an advisory".
type Needs struct {
	Edges, From, To     string
	Name, Version, Mark string
	One, Many, Marked   string
}

// Lookup asks once about all rows of a list, and adds a column of what it finds. The
// body of the call has an array under Requests whose items have what Row points at under
// Member; the answers lie at Answers, in the same order. Found is what the column shows.
type Lookup struct {
	Call             Call
	Requests, Member string
	Row              string
	Answers          string
	Found            Column
}

// Looked points at what a Lookup found about a row.
const Looked = "/console_found"

// Chat is a form that keeps a conversation: every message is sent with those before it.
// Turns is the member of the body for all of them, Role and Text stand in each, Asker and
// Answerer are the roles. Answer points at the text of the answer, and Used at the number
// of tokens that it took.
type Chat struct {
	Turns, Role, Text string
	Asker, Answerer   string
	Answer, Used      string
}
