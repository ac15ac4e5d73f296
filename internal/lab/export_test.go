package lab

// Awake reports whether the app is open.
func (w *World) Awake() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.app != nil
}
