package settings

import (
	"encoding"
	"fmt"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/clock"
)

// set parses text into the value. Lists are separated by commas.
func (l leaf) set(text string) error {
	if l.value.Kind() == reflect.Slice {
		return l.setList(text)
	}
	return setScalar(l.value, text)
}

func (l leaf) setList(text string) error {
	list := reflect.MakeSlice(l.value.Type(), 0, 4)
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		item := reflect.New(l.value.Type().Elem()).Elem()
		if err := setScalar(item, part); err != nil {
			return err
		}
		list = reflect.Append(list, item)
	}
	l.value.Set(list)
	return nil
}

func setScalar(v reflect.Value, text string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		err := u.UnmarshalText([]byte(text))
		if err != nil && v.Type() == reflect.TypeFor[netip.Prefix]() {
			return fmt.Errorf("%q is not a range of addresses, as in 10.0.0.0/8 or 10.1.2.3/32", text)
		}
		return err
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := clock.ParseDuration(text)
		if err != nil {
			return err
		}
		v.SetInt(int64(d))
		return nil
	}
	return setBasic(v, text)
}

func setBasic(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is not true or false", text)
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		v.SetInt(n)
	case reflect.Float64:
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		v.SetFloat(f)
	default:
		return fmt.Errorf("cannot be set from the environment; use the configuration file")
	}
	return nil
}
