package lab

import "stoa.dev/stoa/internal/platform/faultrule"

// Faults are the rules that make requests of the world fail. They stay while the
// world is closed for want of requests, and go with a reset and with the process.
func (w *World) Faults() *faultrule.Set { return w.faults }

// Catalogue is what rules can name.
func (l *Lab) Catalogue() *faultrule.Catalogue { return l.catalogue }

// RemoveFault takes a rule out.
func (w *World) RemoveFault(id string) error {
	if !w.faults.Remove(id) {
		return errNotFound("stoa fault list "+w.Name()+" shows those there are", "the world %s has no fault %q", w.Name(), id)
	}
	return nil
}
