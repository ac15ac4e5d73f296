package metrics

// ReserveMemory takes memory before it is used, or says why there is none.
type ReserveMemory func(bytes int64) error

// Weigh makes the function what readers of bodies ask for memory.
func (w ReserveMemory) Weigh(bytes int64) error {
	if w == nil {
		return nil
	}
	return w(bytes)
}
