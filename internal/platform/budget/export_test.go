package budget

// MinKept is for tests.
const MinKept = minKept

// Owners is how many owners the Pool remembers.
func (p *Pool) Owners() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.held)
}
