package onnx

import "slices"

func shapeOf(_ *node, in []*tensor) ([]*tensor, error) {
	out := &tensor{shape: []int{len(in[0].shape)}, ints: []int64{}}
	for _, d := range in[0].shape {
		out.ints = append(out.ints, int64(d))
	}
	return []*tensor{out}, nil
}

// gather takes rows of a table.
func gather(n *node, in []*tensor) ([]*tensor, error) {
	table, rows := in[0], in[1]
	if n.number("axis", 0) != 0 || rows.ints == nil || len(table.shape) == 0 {
		return nil, errShape
	}
	width := table.size() / max(1, table.shape[0])
	out := &tensor{shape: slices.Concat(rows.shape, table.shape[1:])}
	for _, row := range rows.ints {
		if row < 0 {
			row += int64(table.shape[0])
		}
		from := int(row) * width
		switch {
		case table.floats != nil:
			out.floats = append(out.floats, table.floats[from:from+width]...)
		case table.ints != nil:
			out.ints = append(out.ints, table.ints[from:from+width]...)
		default:
			out.small = append(out.small, table.small[from:from+width]...)
		}
	}
	return []*tensor{out}, nil
}

// reshaped is the same elements in another shape.
func (t *tensor) reshaped(shape []int) *tensor {
	return &tensor{shape: shape, floats: t.floats, ints: t.ints, small: t.small}
}

func unsqueeze(n *node, in []*tensor) ([]*tensor, error) {
	shape := slices.Clone(in[0].shape)
	for _, axis := range n.numbers["axes"] {
		if axis < 0 || axis > len(shape) {
			return nil, errShape
		}
		shape = slices.Insert(shape, axis, 1)
	}
	return []*tensor{in[0].reshaped(shape)}, nil
}

// concat joins lists of numbers, of which shapes are made.
func concat(n *node, in []*tensor) ([]*tensor, error) {
	out := &tensor{ints: []int64{}}
	for _, t := range in {
		if t.ints == nil || len(t.shape) != 1 || n.number("axis", 0) != 0 {
			return nil, errShape
		}
		out.ints = append(out.ints, t.ints...)
	}
	out.shape = []int{len(out.ints)}
	return []*tensor{out}, nil
}

func reshape(_ *node, in []*tensor) ([]*tensor, error) {
	shape, rest, known := make([]int, len(in[1].ints)), -1, 1
	for i, d := range in[1].ints {
		switch {
		case d == 0:
			shape[i] = in[0].shape[i]
		case d < 0:
			rest = i
			continue
		default:
			shape[i] = int(d)
		}
		known *= shape[i]
	}
	if rest >= 0 {
		shape[rest] = in[0].size() / max(1, known)
	}
	out := in[0].reshaped(shape)
	if out.size() != in[0].size() {
		return nil, errShape
	}
	return []*tensor{out}, nil
}

func transpose(n *node, in []*tensor) ([]*tensor, error) {
	t, order := in[0], n.numbers["perm"]
	if t.floats == nil || len(order) != len(t.shape) {
		return nil, errShape
	}
	own := make([]int, len(t.shape))
	for i, step := len(own)-1, 1; i >= 0; i-- {
		own[i], step = step, step*t.shape[i]
	}
	out := &tensor{shape: make([]int, len(order)), floats: make([]float32, len(t.floats))}
	steps := make([]int, len(order))
	for i, axis := range order {
		out.shape[i], steps[i] = t.shape[axis], own[axis]
	}
	at := make([]int, len(order))
	for i := range out.floats {
		from := 0
		for d, n := range at {
			from += n * steps[d]
		}
		out.floats[i] = t.floats[from]
		advance(at, out.shape)
	}
	return []*tensor{out}, nil
}

// slice cuts one axis of a table of numbers, as the places of tokens are cut.
func slice(_ *node, in []*tensor) ([]*tensor, error) {
	t := in[0]
	if t.ints == nil || len(in) < 4 || len(in[1].ints) != 1 || len(in) > 4 && in[4].ints[0] != 1 {
		return nil, errShape
	}
	axis := int(in[3].ints[0])
	if axis != len(t.shape)-1 {
		return nil, errShape
	}
	width := t.shape[axis]
	clamp := func(n int64) int {
		if n < 0 {
			n += int64(width)
		}
		return int(min(max(n, 0), int64(width)))
	}
	from, to := clamp(in[1].ints[0]), clamp(in[2].ints[0])
	out := &tensor{shape: slices.Clone(t.shape), ints: []int64{}}
	out.shape[axis] = max(0, to-from)
	for i := 0; i < len(t.ints); i += width {
		out.ints = append(out.ints, t.ints[i+from:i+max(from, to)]...)
	}
	return []*tensor{out}, nil
}
