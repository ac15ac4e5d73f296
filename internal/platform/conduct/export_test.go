package conduct

// Len is how many entries there are.
func (m *Memory[K, V]) Len() int { return len(m.entries) }
