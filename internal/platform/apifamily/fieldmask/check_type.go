package fieldmask

import (
	"encoding/json"
	"reflect"
	"strings"

	"stoa.dev/stoa/internal/platform/wire"
)

// Check refuses a mask that names what answers of this type never have. A nil type
// is not checked.
func (m Mask) Check(answer reflect.Type) error {
	if answer == nil {
		return nil
	}
	return m.check(answer, "")
}

func (m Mask) check(t reflect.Type, at string) error {
	for t.Kind() == reflect.Pointer || isList(t) {
		t = t.Elem()
	}
	if isOpen(t) || m.whole() {
		return m.checkNames(t, at)
	}
	switch t.Kind() {
	case reflect.Struct:
		return m.checkNames(t, at)
	case reflect.Map:
		for name, inner := range m {
			if err := inner.check(t.Elem(), join(at, name)); err != nil {
				return err
			}
		}
		return nil
	default:
		for name := range m {
			return errUnknown(join(at, name))
		}
		return nil
	}
}

// checkNames checks the members that the mask names one by one.
func (m Mask) checkNames(t reflect.Type, at string) error {
	if t.Kind() != reflect.Struct || isOpen(t) {
		return nil
	}
	for name, inner := range m {
		if name == everything {
			if err := inner.checkAny(t, join(at, name)); err != nil {
				return err
			}
			continue
		}
		member, ok := memberType(t, name)
		if !ok {
			return errUnknown(join(at, name))
		}
		if err := inner.check(member, join(at, name)); err != nil {
			return err
		}
	}
	return nil
}

// checkAny checks what stands behind a star: one of the members has to have it.
func (m Mask) checkAny(t reflect.Type, at string) error {
	if m.whole() {
		return nil
	}
	for field := range t.Fields() {
		if m.check(field.Type, at) == nil {
			return nil
		}
	}
	return errUnknown(at)
}

// memberType is the type of the member that encoding/json calls by the name.
func memberType(t reflect.Type, name string) (reflect.Type, bool) {
	for field := range t.Fields() {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if tag == name {
			return field.Type, true
		}
		if field.Anonymous && tag == "" {
			inner := field.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() != reflect.Struct {
				continue
			}
			if member, ok := memberType(inner, name); ok {
				return member, true
			}
		}
	}
	return nil, false
}

func isList(t reflect.Type) bool {
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Kind() != reflect.Uint8
}

// isOpen reports whether the type does not say what its JSON looks like.
func isOpen(t reflect.Type) bool {
	marshaler := reflect.TypeFor[json.Marshaler]()
	return t.Kind() == reflect.Interface || t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler)
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "/" + name
}

func errUnknown(path string) error { return errInvalid(" " + wire.Clip(path, 60)) }
