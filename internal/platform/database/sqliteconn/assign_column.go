package sqliteconn

import (
	"fmt"
	"reflect"
	"strconv"
)

// assign stores a value in a destination of another type, by the rules of
// database/sql for the types in use here.
func assign(dest, value any) error {
	to := reflect.ValueOf(dest)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("destination %T is not a pointer", dest)
	}
	return assignTo(to.Elem(), value)
}

func assignTo(to reflect.Value, value any) error {
	switch {
	case to.Kind() == reflect.Interface && to.NumMethod() == 0:
		to.Set(reflect.Zero(to.Type()))
		if value != nil {
			to.Set(reflect.ValueOf(value))
		}
		return nil
	case to.Kind() == reflect.Pointer:
		if value == nil {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return assignTo(to.Elem(), value)
	case to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8:
		if value == nil {
			to.SetZero()
			return nil
		}
		to.SetBytes([]byte(text(value)))
		return nil
	case value == nil:
		return fmt.Errorf("NULL does not fit into %s", to.Type())
	}
	return assignScalar(to, value)
}

// assignScalar goes by the text of the value, as database/sql does: "12" is a
// number and 12 is a text.
func assignScalar(to reflect.Value, value any) (err error) {
	source := text(value)
	switch to.Kind() {
	case reflect.String:
		to.SetString(source)
	case reflect.Bool:
		var yes bool
		if yes, err = strconv.ParseBool(source); err == nil {
			to.SetBool(yes)
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		var n int64
		if n, err = strconv.ParseInt(source, 10, to.Type().Bits()); err == nil {
			to.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		var n uint64
		if n, err = strconv.ParseUint(source, 10, to.Type().Bits()); err == nil {
			to.SetUint(n)
		}
	case reflect.Float32, reflect.Float64:
		var n float64
		if n, err = strconv.ParseFloat(source, to.Type().Bits()); err == nil {
			to.SetFloat(n)
		}
	default:
		err = fmt.Errorf("%T does not fit into %s", value, to.Type())
	}
	return err
}

func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}
