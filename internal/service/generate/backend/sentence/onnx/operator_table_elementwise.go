package onnx

import (
	"errors"
	"math"
	"slices"
)

// operator computes the outputs of a node.
type operator func(n *node, in []*tensor) ([]*tensor, error)

// operators are those of quantized encoders, by name.
func operators() map[string]operator {
	return map[string]operator{
		"Add":                   pairwise(func(a, b float32) float32 { return a + b }),
		"Sub":                   pairwise(func(a, b float32) float32 { return a - b }),
		"Mul":                   pairwise(func(a, b float32) float32 { return a * b }),
		"Div":                   pairwise(func(a, b float32) float32 { return a / b }),
		"Pow":                   pairwise(power),
		"Sqrt":                  unary(func(a float32) float32 { return float32(math.Sqrt(float64(a))) }),
		"Erf":                   unary(func(a float32) float32 { return float32(math.Erf(float64(a))) }),
		"Cast":                  cast,
		"Shape":                 shapeOf,
		"Gather":                gather,
		"Unsqueeze":             unsqueeze,
		"Concat":                concat,
		"Reshape":               reshape,
		"Transpose":             transpose,
		"Slice":                 slice,
		"ReduceMean":            reduceMean,
		"Softmax":               softmax,
		"MatMul":                matMul,
		"MatMulInteger":         matMulInteger,
		"DynamicQuantizeLinear": quantize,
		"DequantizeLinear":      dequantize,
	}
}

var (
	errKind  = errors.New("the elements are of another kind")
	errShape = errors.New("the shapes do not fit")
)

func power(a, b float32) float32 {
	if b == 2 {
		return a * a
	}
	return float32(math.Pow(float64(a), float64(b)))
}

func unary(f func(float32) float32) operator {
	return func(_ *node, in []*tensor) ([]*tensor, error) {
		if in[0].floats == nil {
			return nil, errKind
		}
		out := &tensor{shape: in[0].shape, floats: make([]float32, len(in[0].floats))}
		for i, v := range in[0].floats {
			out.floats[i] = f(v)
		}
		return []*tensor{out}, nil
	}
}

// pairwise computes element by element; shapes are widened as the format says.
func pairwise(f func(a, b float32) float32) operator {
	return func(_ *node, in []*tensor) ([]*tensor, error) {
		a, b := in[0], in[1]
		if a.floats == nil || b.floats == nil {
			return nil, errKind
		}
		shape, err := widened(a.shape, b.shape)
		if err != nil {
			return nil, err
		}
		out := &tensor{shape: shape}
		out.floats = make([]float32, out.size())
		if tail(shape, b.shape) && slices.Equal(shape, a.shape) {
			for i := range out.floats {
				out.floats[i] = f(a.floats[i], b.floats[i%len(b.floats)])
			}
			return []*tensor{out}, nil
		}
		stepsA, stepsB := steps(a.shape, shape), steps(b.shape, shape)
		at := make([]int, len(shape))
		for i := range out.floats {
			ia, ib := 0, 0
			for d, n := range at {
				ia, ib = ia+n*stepsA[d], ib+n*stepsB[d]
			}
			out.floats[i] = f(a.floats[ia], b.floats[ib])
			advance(at, shape)
		}
		return []*tensor{out}, nil
	}
}

// tail reports whether a shape is the end of another, so that it repeats.
func tail(whole, end []int) bool {
	return len(end) <= len(whole) && slices.Equal(whole[len(whole)-len(end):], end)
}

func widened(a, b []int) ([]int, error) {
	shape := make([]int, max(len(a), len(b)))
	for i := range shape {
		da, db := dimension(a, i-len(shape)+len(a)), dimension(b, i-len(shape)+len(b))
		if da != db && da != 1 && db != 1 {
			return nil, errShape
		}
		shape[i] = max(da, db)
	}
	return shape, nil
}

func dimension(shape []int, i int) int {
	if i < 0 {
		return 1
	}
	return shape[i]
}

// steps are how far one goes in a tensor for each dimension of a wider shape.
func steps(shape, wide []int) []int {
	out := make([]int, len(wide))
	step := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] != 1 {
			out[i+len(wide)-len(shape)] = step
		}
		step *= shape[i]
	}
	return out
}

// advance moves to the next place of a shape.
func advance(at, shape []int) {
	for d := len(at) - 1; d >= 0; d-- {
		if at[d]++; at[d] < shape[d] {
			return
		}
		at[d] = 0
	}
}

func cast(n *node, in []*tensor) ([]*tensor, error) {
	t := in[0]
	if n.number("to", 0) != kindFloat {
		return nil, errKind
	}
	if t.floats != nil {
		return []*tensor{t}, nil
	}
	out := &tensor{shape: t.shape, floats: make([]float32, t.size())}
	for i := range out.floats {
		out.floats[i] = float32(t.ints[i])
	}
	return []*tensor{out}, nil
}

func reduceMean(n *node, in []*tensor) ([]*tensor, error) {
	t := in[0]
	last := len(t.shape) - 1
	axes := n.numbers["axes"]
	if t.floats == nil || len(axes) != 1 || axes[0] != -1 && axes[0] != last || n.number("keepdims", 1) != 1 {
		return nil, errShape
	}
	width := t.shape[last]
	out := &tensor{shape: append(slices.Clone(t.shape[:last]), 1)}
	for i := 0; i < len(t.floats); i += width {
		sum := float32(0)
		for _, v := range t.floats[i : i+width] {
			sum += v
		}
		out.floats = append(out.floats, sum/float32(width))
	}
	return []*tensor{out}, nil
}

func softmax(n *node, in []*tensor) ([]*tensor, error) {
	t := in[0]
	last := len(t.shape) - 1
	if axis := n.number("axis", -1); t.floats == nil || axis != last && axis != -1 {
		return nil, errShape
	}
	width := t.shape[last]
	out := &tensor{shape: t.shape, floats: slices.Clone(t.floats)}
	for i := 0; i < len(out.floats); i += width {
		row := out.floats[i : i+width]
		highest, sum := slices.Max(row), 0.0
		for j, v := range row {
			e := math.Exp(float64(v - highest))
			row[j], sum = float32(e), sum+e
		}
		for j := range row {
			row[j] /= float32(sum)
		}
	}
	return []*tensor{out}, nil
}
