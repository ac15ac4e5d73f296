package onnx

import (
	"math"
	"slices"
)

// matMul multiplies the last two dimensions; the others are alike.
func matMul(_ *node, in []*tensor) ([]*tensor, error) {
	a, b := in[0], in[1]
	da, db := len(a.shape), len(b.shape)
	if a.floats == nil || b.floats == nil || da < 2 || da != db || a.shape[da-1] != b.shape[db-2] ||
		!slices.Equal(a.shape[:da-2], b.shape[:db-2]) {
		return nil, errShape
	}
	rows, inner, columns := a.shape[da-2], a.shape[da-1], b.shape[db-1]
	out := &tensor{shape: append(slices.Clone(a.shape[:da-1]), columns)}
	out.floats = make([]float32, out.size())
	for block := range len(a.floats) / max(1, rows*inner) {
		left, right := a.floats[block*rows*inner:], b.floats[block*inner*columns:]
		for r := range rows {
			row := out.floats[(block*rows+r)*columns:][:columns]
			for k, v := range left[r*inner:][:inner] {
				for c, w := range right[k*columns:][:columns] {
					row[c] += v * w
				}
			}
		}
	}
	return []*tensor{out}, nil
}

// matMulInteger multiplies quantized numbers by quantized weights.
func matMulInteger(_ *node, in []*tensor) ([]*tensor, error) {
	a, b := in[0], in[1]
	da := len(a.shape)
	if a.small == nil || b.small == nil || len(b.shape) != 2 || da < 2 || a.shape[da-1] != b.shape[0] {
		return nil, errShape
	}
	zeroA, zeroB := zeroPoint(in, 2), zeroPoint(in, 3)
	inner, columns := b.shape[0], b.shape[1]
	out := &tensor{shape: append(slices.Clone(a.shape[:da-1]), columns)}
	out.ints = make([]int64, out.size())
	row := make([]int32, columns)
	for r := range len(a.small) / inner {
		clear(row)
		for k, v := range a.small[r*inner:][:inner] {
			n := int32(v) - int32(zeroA[0])
			if n == 0 {
				continue
			}
			for c, w := range b.small[k*columns:][:columns] {
				row[c] += n * int32(w)
			}
		}
		rest := int32(0)
		for _, v := range a.small[r*inner:][:inner] {
			rest += int32(v) - int32(zeroA[0])
		}
		for c, v := range row {
			out.ints[r*columns+c] = int64(v - rest*int32(zeroB[c%len(zeroB)]))
		}
	}
	return []*tensor{out}, nil
}

func zeroPoint(in []*tensor, at int) []int16 {
	if at >= len(in) || in[at] == nil || len(in[at].small) == 0 {
		return []int16{0}
	}
	return in[at].small
}

// quantize maps numbers to eight bits, by their own range.
func quantize(_ *node, in []*tensor) ([]*tensor, error) {
	t := in[0]
	if len(t.floats) == 0 {
		return nil, errKind
	}
	low, high := min(0, slices.Min(t.floats)), max(0, slices.Max(t.floats))
	scale := (high - low) / 255
	if scale == 0 {
		scale = 1
	}
	zero := min(255, max(0, math.RoundToEven(float64(-low/scale))))
	out := &tensor{shape: t.shape, small: make([]int16, len(t.floats))}
	for i, v := range t.floats {
		out.small[i] = int16(min(255, max(0, math.RoundToEven(float64(v/scale))+zero)))
	}
	return []*tensor{
		out, {shape: []int{}, floats: []float32{scale}}, {shape: []int{}, small: []int16{int16(zero)}},
	}, nil
}

// dequantize is the way back, with one scale for all.
func dequantize(_ *node, in []*tensor) ([]*tensor, error) {
	t := in[0]
	if t.small == nil || len(in[1].floats) != 1 {
		return nil, errShape
	}
	scale, zero := in[1].floats[0], zeroPoint(in, 2)[0]
	out := &tensor{shape: t.shape, floats: make([]float32, len(t.small))}
	for i, v := range t.small {
		out.floats[i] = float32(v-zero) * scale
	}
	return []*tensor{out}, nil
}
