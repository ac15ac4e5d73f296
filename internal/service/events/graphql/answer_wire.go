package graphql

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// member is a field of an answer.
type member struct {
	name  string
	value any
}

// object is an answer's object; its members stand in the order of the query.
type object []member

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		value, err := encode(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode writes a value, and leaves the signs of texts as they are.
func encode(value any) ([]byte, error) {
	if o, ok := value.(object); ok {
		return o.MarshalJSON()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// path leads to a field of the answer.
type path struct {
	parent *path
	step   any
}

func (p *path) list() []any {
	if p == nil {
		return nil
	}
	return append(p.parent.list(), p.step)
}

// isNil reports whether there is no value, also where a pointer to one is missing.
func isNil(value any) bool {
	if value == nil {
		return true
	}
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// leaf is a value of a scalar or an enumeration as JSON has it.
func (x *run) leaf(value any) (any, error) {
	switch v := value.(type) {
	case *string:
		return x.leaf(*v)
	case *time.Time:
		return x.leaf(*v)
	case time.Time:
		return v.UTC().Format("2006-01-02T15:04:05Z"), nil
	case string:
		if x.text += len(v); x.text > maxText {
			return nil, errTooLong
		}
		return v, nil
	case bool, int64, int:
		return v, nil
	}
	return nil, fmt.Errorf("%T is no value of a scalar", value)
}
