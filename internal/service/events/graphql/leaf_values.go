package graphql

import (
	"fmt"
	"reflect"
	"time"
)

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
	return nil, fmt.Errorf("%T is not a value of a scalar", value)
}
