package onnx

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"stoa.dev/stoa/internal/platform/fuzztest"
)

// message writes fields with bytes; numbers are written by number.
func message(fields ...[]byte) []byte { return slices.Concat(fields...) }

func chunk(field int, b []byte) []byte {
	out := binary.AppendUvarint(nil, uint64(field)<<3|2)
	return append(binary.AppendUvarint(out, uint64(len(b))), b...)
}

func number(field, n int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), uint64(n))
}

func floats(values ...float32) []byte {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// tinyEncoder looks tokens up in a table of three vectors and adds one to them.
func tinyEncoder(op string) []byte {
	table := message(number(1, 3), number(1, 2), number(2, kindFloat), chunk(8, []byte("table")),
		chunk(9, floats(0, 1, 10, 11, 20, 21)))
	one := message(number(2, kindFloat), chunk(9, floats(1)))
	constant := message(chunk(2, []byte("one")), chunk(4, []byte("Constant")),
		chunk(5, message(chunk(1, []byte("value")), chunk(5, one))))
	gather := message(chunk(1, []byte("table")), chunk(1, []byte("input_ids")), chunk(2, []byte("rows")),
		chunk(4, []byte("Gather")), chunk(5, message(chunk(1, []byte("axis")), number(3, 0))))
	add := message(chunk(1, []byte("rows")), chunk(1, []byte("one")), chunk(2, []byte("out")), chunk(4, []byte(op)))
	graph := message(chunk(1, constant), chunk(1, gather), chunk(1, add), chunk(5, table),
		chunk(12, chunk(1, []byte("out"))))
	return message(number(1, 8), chunk(7, graph))
}

func TestRun(t *testing.T) {
	t.Parallel()
	m, err := Open(tinyEncoder("Add"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Run([]int{2, 0})
	if err != nil || len(got) != 2 || !slices.Equal(got[0], []float32{21, 22}) || !slices.Equal(got[1], []float32{1, 2}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := m.Run([]int{7}); err == nil {
		t.Error("a token outside the table was taken")
	}
	if _, err := Open(tinyEncoder("Conv")); err == nil || !strings.Contains(err.Error(), "Conv") {
		t.Errorf("an unknown operator: %v", err)
	}
	for _, bad := range [][]byte{nil, {0xff}, tinyEncoder("Add")[:60]} {
		if _, err := Open(bad); err == nil {
			t.Errorf("%d bytes were taken for a model", len(bad))
		}
	}
}

// FuzzOpen reads and runs what others wrote.
func FuzzOpen(f *testing.F) {
	fuzztest.Bytes(f, tinyEncoder("Add"))
	f.Fuzz(func(_ *testing.T, b []byte) {
		if m, err := Open(b); err == nil {
			_, _ = m.Run([]int{0, 1}) // any error will do, and no panic
		}
	})
}

func TestOperators(t *testing.T) {
	t.Parallel()
	run := func(op string, n *node, in ...*tensor) []*tensor {
		t.Helper()
		if n == nil {
			n = &node{}
		}
		out, err := operators()[op](n, in)
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		return out
	}
	two := &tensor{shape: []int{2, 2}, floats: []float32{1, 2, 3, 4}}
	row := &tensor{shape: []int{2}, floats: []float32{10, 20}}
	column := &tensor{shape: []int{2, 1}, floats: []float32{10, 20}}
	squared := &tensor{shape: []int{}, floats: []float32{2}}
	last, swapped := &node{numbers: map[string][]int{"axes": {-1}}}, &node{numbers: map[string][]int{"perm": {1, 0}}}
	alike := &tensor{shape: []int{1, 2}, floats: []float32{5, 5}}
	for name, c := range map[string]struct{ got, want []float32 }{
		"a row repeats":    {run("Add", nil, two, row)[0].floats, []float32{11, 22, 13, 24}},
		"a column repeats": {run("Add", nil, two, column)[0].floats, []float32{11, 12, 23, 24}},
		"product":          {run("MatMul", nil, two, two)[0].floats, []float32{7, 10, 15, 22}},
		"square":           {run("Pow", nil, row, squared)[0].floats, []float32{100, 400}},
		"mean":             {run("ReduceMean", last, two)[0].floats, []float32{1.5, 3.5}},
		"transposed":       {run("Transpose", swapped, two)[0].floats, []float32{1, 3, 2, 4}},
		"equally likely":   {run("Softmax", nil, alike)[0].floats, []float32{0.5, 0.5}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
	shape := run("Reshape", nil, two, &tensor{shape: []int{2}, ints: []int64{0, -1}})[0].shape
	if !slices.Equal(shape, []int{2, 2}) {
		t.Errorf("reshaped to %v", shape)
	}
	one := func(n int64) *tensor { return &tensor{shape: []int{1}, ints: []int64{n}} }
	cut := run("Slice", nil, &tensor{shape: []int{1, 4}, ints: []int64{0, 1, 2, 3}}, one(1), one(99), one(1))[0].ints
	if !slices.Equal(cut, []int64{1, 2, 3}) {
		t.Errorf("cut to %v", cut)
	}
}

// TestQuantized multiplies quantized numbers and compares with the true product.
func TestQuantized(t *testing.T) {
	t.Parallel()
	a := &tensor{shape: []int{1, 3}, floats: []float32{-1, 0.5, 2}}
	q, err := quantize(nil, []*tensor{a})
	if err != nil {
		t.Fatal(err)
	}
	weights := &tensor{shape: []int{3, 2}, small: []int16{130, 120, 128, 140, 100, 128}} // of a zero point of 128
	product, err := matMulInteger(nil, []*tensor{q[0], weights, q[2], {shape: []int{}, small: []int16{128}}})
	if err != nil {
		t.Fatal(err)
	}
	for column, want := range []float64{-1*2 + 0 + 2*-28, -1*-8 + 0.5*12 + 0} {
		got := float64(product[0].ints[column]) * float64(q[1].floats[0])
		if math.Abs(got-want) > 0.5 {
			t.Errorf("column %d: %v, want about %v", column, got, want)
		}
	}
}
