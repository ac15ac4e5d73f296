package typefacts_test

import (
	"reflect"
	"testing"

	"stoa.dev/stoa/internal/platform/wire/typefacts"
)

type wanted struct{ n int }

type ring struct {
	next *ring
	name string
}

// TestHolds asks twice about each type: the second answer is the remembered one.
func TestHolds(t *testing.T) {
	t.Parallel()
	h := typefacts.NewHolder(func(t reflect.Type) bool { return t == reflect.TypeFor[wanted]() })
	for typ, want := range map[reflect.Type]bool{
		reflect.TypeFor[wanted]():                              true,
		reflect.TypeFor[*struct{ a []map[string][2]wanted }](): true,
		reflect.TypeFor[struct {
			a ring
			b *wanted
		}](): true,
		reflect.TypeFor[ring]():           false,
		reflect.TypeFor[map[string]any](): false,
		reflect.TypeFor[int]():            false,
	} {
		for range 2 {
			if got := h.Holds(typ); got != want {
				t.Errorf("%v: %v, want %v", typ, got, want)
			}
		}
	}
}
