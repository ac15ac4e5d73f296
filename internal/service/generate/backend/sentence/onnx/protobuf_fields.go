package onnx

import (
	"encoding/binary"
	"errors"
)

// errWire means that a file is not a protocol buffer.
var errWire = errors.New("onnx: the file is damaged")

// field is one field of a message: a number, or bytes.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

// eachField walks over a message.
func eachField(b []byte, see func(field) error) error {
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 {
			return errWire
		}
		b = b[n:]
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			if f.value, n = binary.Uvarint(b); n <= 0 {
				return errWire
			}
		case 1:
			n = 8
		case 5:
			n = 4
		case 2:
			size, head := binary.Uvarint(b)
			if head <= 0 || size > uint64(len(b)-head) {
				return errWire
			}
			f.bytes, n = b[head:head+int(size)], head+int(size)
		default:
			return errWire
		}
		if n > len(b) {
			return errWire
		}
		if kind := key & 7; kind == 1 || kind == 5 {
			f.bytes = b[:n]
		}
		b = b[n:]
		if err := see(f); err != nil {
			return err
		}
	}
	return nil
}

// numbers reads a repeated number, packed or not.
func (f field) numbers(into []int) ([]int, error) {
	if f.bytes == nil {
		return append(into, int(int64(f.value))), nil
	}
	for b := f.bytes; len(b) > 0; {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errWire
		}
		into, b = append(into, int(int64(v))), b[n:]
	}
	return into, nil
}
