package typefacts

import (
	"reflect"
	"sync"
)

// Holder tells of types whether a value of theirs can hold a value of one kind.
type Holder struct {
	is    func(reflect.Type) bool
	known sync.Map // reflect.Type to bool
}

// NewHolder asks about the types for which is reports true.
func NewHolder(is func(reflect.Type) bool) *Holder { return &Holder{is: is} }

// Holds reports whether a value of t can hold one, at any depth.
func (h *Holder) Holds(t reflect.Type) bool {
	if known, ok := h.known.Load(t); ok {
		return known.(bool)
	}
	holds := h.look(t, map[reflect.Type]bool{})
	h.known.Store(t, holds)
	return holds
}

// look is Holds; seen are types that were looked at.
func (h *Holder) look(t reflect.Type, seen map[reflect.Type]bool) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Array {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] {
		return false
	}
	seen[t] = true
	if h.is(t) {
		return true
	}
	for i := range t.NumField() {
		if h.look(t.Field(i).Type, seen) {
			return true
		}
	}
	return false
}
