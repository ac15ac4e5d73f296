package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
)

// The kinds of elements, as the format numbers them.
const (
	kindFloat = 1
	kindUint8 = 2
	kindInt8  = 3
	kindInt32 = 6
	kindInt64 = 7
)

// tensor is numbers in a shape. Exactly one of the lists is used: floats, integers,
// or small ones, which hold the eight bits of quantized weights.
type tensor struct {
	shape  []int
	floats []float32
	ints   []int64
	small  []int16
}

func (t *tensor) size() int {
	n := 1
	for _, d := range t.shape {
		n *= d
	}
	return n
}

// maxElements bounds one tensor.
const maxElements = 1 << 28

// readTensor reads a TensorProto.
func readTensor(b []byte) (name string, t *tensor, err error) {
	t = &tensor{shape: []int{}}
	kind := 0
	var raw []byte
	var listed []int
	err = eachField(b, func(f field) (err error) {
		switch f.number {
		case 1:
			t.shape, err = f.numbers(t.shape)
		case 2:
			kind = int(f.value)
		case 4: // floats, packed or one by one
			raw = append(raw, f.bytes...)
		case 5, 7:
			listed, err = f.numbers(listed)
		case 8:
			name = string(f.bytes)
		case 9:
			raw = f.bytes
		}
		return err
	})
	if err != nil {
		return name, nil, err
	}
	elements := 1
	for _, d := range t.shape {
		if d < 0 || elements > maxElements || d > maxElements {
			return name, nil, errWire
		}
		elements *= d
	}
	if raw == nil && len(listed) > 0 {
		return name, t, t.fillListed(kind, listed, elements)
	}
	return name, t, t.fill(kind, raw, elements)
}

// fillListed takes elements that the file lists as numbers, as it does with few.
func (t *tensor) fillListed(kind int, listed []int, elements int) error {
	if len(listed) != elements {
		return fmt.Errorf("onnx: a tensor has %d numbers for %d elements", len(listed), elements)
	}
	for _, n := range listed {
		switch kind {
		case kindUint8, kindInt8:
			t.small = append(t.small, int16(n))
		case kindInt32, kindInt64:
			t.ints = append(t.ints, int64(n))
		default:
			return fmt.Errorf("onnx: numbers of the kind %d are not known", kind)
		}
	}
	return nil
}

func (t *tensor) fill(kind int, raw []byte, elements int) error {
	width := map[int]int{kindFloat: 4, kindUint8: 1, kindInt8: 1, kindInt32: 4, kindInt64: 8}[kind]
	if width == 0 {
		return fmt.Errorf("onnx: elements of the kind %d are not known", kind)
	}
	if elements > maxElements || len(raw) != elements*width {
		return fmt.Errorf("onnx: a tensor has %d bytes for %d elements", len(raw), elements)
	}
	for i := range elements {
		switch kind {
		case kindFloat:
			t.floats = append(t.floats, math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		case kindUint8:
			t.small = append(t.small, int16(raw[i]))
		case kindInt8:
			t.small = append(t.small, int16(int8(raw[i])))
		case kindInt32:
			t.ints = append(t.ints, int64(int32(binary.LittleEndian.Uint32(raw[4*i:]))))
		case kindInt64:
			t.ints = append(t.ints, int64(binary.LittleEndian.Uint64(raw[8*i:])))
		}
	}
	return nil
}
