package query

// Expr is a node of a parsed query.
type Expr interface{ pos() int }

// Metric is the selection and combination of stored series.
type Metric struct {
	Aggregator string // empty when the query names none, which means avg
	Name       string
	Scope      Filter
	ScopeText  string // as written, without braces
	By         []string
	Rollup     Rollup
	Fill       Fill
	Mode       Mode
	at         int
}

// Mode is what .as_count() and .as_rate() ask for.
type Mode int

// The modes; Plain is neither.
const (
	Plain Mode = iota
	AsCount
	AsRate
)

// Rollup is how values are combined over time; the zero value leaves both to
// the evaluator.
type Rollup struct {
	Method  string
	Seconds int64
}

// Fill is how holes are closed before series are combined. Limit is in seconds.
type Fill struct {
	Method string // empty is the default, linear
	Limit  int64
}

// Number is a constant.
type Number struct {
	Value float64
	at    int
}

// Text is a quoted argument of a function.
type Text struct {
	Value string
	at    int
}

// Binary is arithmetic on two expressions.
type Binary struct {
	Op          byte
	Left, Right Expr
	at          int
}

// Call applies a function.
type Call struct {
	Name string
	Args []Expr
	at   int
	fn   function
}

func (m *Metric) pos() int { return m.at }
func (n *Number) pos() int { return n.at }
func (t *Text) pos() int   { return t.at }
func (b *Binary) pos() int { return b.at }
func (c *Call) pos() int   { return c.at }

// Query is a parsed query: its text and one expression per comma.
type Query struct {
	Text  string
	Exprs []Expr
	texts []string // source of each expression
}

// Source returns the text of expression i.
func (q *Query) Source(i int) string { return q.texts[i] }
