package recipe

// Bounds of what a file may stand for. Aliases, commands and parameters let a
// short text name a long one many times, so what counts is what is made of it.
const (
	maxLooks = 100_000
	maxMade  = 8 << 20
	// maxPrograms bounds the patterns of a file together, in instructions.
	maxPrograms = 100_000
)

// budget bounds the values looked at and the text and patterns made.
type budget struct {
	looks, bytes, programs int
	compiled               map[string]*pattern
	tried                  map[*pattern]tried
}

func newBudget() *budget {
	return &budget{looks: maxLooks, bytes: maxMade, programs: maxPrograms, compiled: map[string]*pattern{},
		tried: map[*pattern]tried{}}
}

// spend takes from the budget.
func (s scope) spend(n *node, looks, bytes int) error {
	if s.left == nil {
		return nil
	}
	s.left.looks -= looks
	s.left.bytes -= bytes
	if s.left.looks < 0 || s.left.bytes < 0 {
		return n.errorf("the file stands for too much: aliases, commands or parameters multiply each other here")
	}
	return nil
}
