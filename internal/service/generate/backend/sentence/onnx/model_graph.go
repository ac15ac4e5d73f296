package onnx

import (
	"errors"
	"fmt"
	"maps"
)

// Model is an opened graph. It may be run by many at once.
type Model struct {
	nodes  []node
	consts map[string]*tensor
	output string
}

// node is one step of the graph.
type node struct {
	op      string
	inputs  []string
	outputs []string
	numbers map[string][]int
	compute operator
}

// number is an attribute, or what it is when it is not given.
func (n *node) number(name string, otherwise int) int {
	if list := n.numbers[name]; len(list) > 0 {
		return list[0]
	}
	return otherwise
}

// Open reads a model.
func Open(file []byte) (*Model, error) {
	m := &Model{consts: map[string]*tensor{}}
	found := false
	err := eachField(file, func(f field) error {
		if f.number != 7 {
			return nil
		}
		found = true
		return m.readGraph(f.bytes)
	})
	if err == nil && (!found || m.output == "") {
		err = errors.New("onnx: the file has no graph with an output")
	}
	if err != nil {
		return nil, err
	}
	return m, m.fold()
}

func (m *Model) readGraph(b []byte) error {
	return eachField(b, func(f field) error {
		switch f.number {
		case 1:
			return m.readNode(f.bytes)
		case 5:
			name, t, err := readTensor(f.bytes)
			m.consts[name] = t
			return err
		case 12:
			return eachField(f.bytes, func(inner field) error {
				if inner.number == 1 && m.output == "" {
					m.output = string(inner.bytes)
				}
				return nil
			})
		}
		return nil
	})
}

func (m *Model) readNode(b []byte) error {
	n := node{numbers: map[string][]int{}}
	var value *tensor
	err := eachField(b, func(f field) (err error) {
		switch f.number {
		case 1:
			n.inputs = append(n.inputs, string(f.bytes))
		case 2:
			n.outputs = append(n.outputs, string(f.bytes))
		case 4:
			n.op = string(f.bytes)
		case 5:
			value, err = n.readAttribute(f.bytes, value)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(n.outputs) == 0 {
		return errWire
	}
	if n.op == "Constant" {
		if value == nil {
			return errors.New("onnx: a constant without a tensor")
		}
		m.consts[n.outputs[0]] = value
		return nil
	}
	if n.compute = operators()[n.op]; n.compute == nil {
		return fmt.Errorf("onnx: the operator %s is not known", n.op)
	}
	m.nodes = append(m.nodes, n)
	return nil
}

// readAttribute keeps numbers, and gives the tensor of a constant.
func (n *node) readAttribute(b []byte, value *tensor) (*tensor, error) {
	name := ""
	var list []int
	err := eachField(b, func(f field) (err error) {
		switch f.number {
		case 1:
			name = string(f.bytes)
		case 3:
			list = append(list, int(int64(f.value)))
		case 5:
			_, value, err = readTensor(f.bytes)
		case 8:
			list, err = f.numbers(list)
		}
		return err
	})
	n.numbers[name] = list
	return value, err
}

// fold computes what depends on constants alone, and keeps the rest.
func (m *Model) fold() error {
	var rest []node
	for i := range m.nodes {
		n := &m.nodes[i]
		constant := true
		for _, name := range n.inputs {
			constant = constant && (name == "" || m.consts[name] != nil)
		}
		if !constant {
			rest = append(rest, *n)
			continue
		}
		if err := n.run(m.consts); err != nil {
			return err
		}
	}
	m.nodes = rest
	return nil
}

// Run gives the output for a sequence of tokens, as one vector for each: the hidden
// states of an encoder.
func (m *Model) Run(tokens []int) ([][]float32, error) {
	ids, ones, zeros := make([]int64, len(tokens)), make([]int64, len(tokens)), make([]int64, len(tokens))
	for i, token := range tokens {
		ids[i], ones[i] = int64(token), 1
	}
	shape := []int{1, len(tokens)}
	values := maps.Clone(m.consts)
	values["input_ids"] = &tensor{shape: shape, ints: ids}
	values["attention_mask"] = &tensor{shape: shape, ints: ones}
	values["token_type_ids"] = &tensor{shape: shape, ints: zeros}
	for i := range m.nodes {
		if err := m.nodes[i].run(values); err != nil {
			return nil, err
		}
	}
	out := values[m.output]
	if out == nil || len(out.shape) != 3 || out.shape[1] != len(tokens) || len(out.floats) != out.size() {
		return nil, errors.New("onnx: the output is not one vector for each token")
	}
	width := out.shape[2]
	vectors := make([][]float32, len(tokens))
	for i := range vectors {
		vectors[i] = out.floats[i*width : (i+1)*width]
	}
	return vectors, nil
}

// run computes one node. What an operator cannot do with its inputs is an error,
// also where a shape would lead it out of a list.
func (n *node) run(values map[string]*tensor) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("onnx: %s of %v: %v", n.op, n.outputs, v)
		}
	}()
	inputs := make([]*tensor, len(n.inputs))
	for i, name := range n.inputs {
		if inputs[i] = values[name]; inputs[i] == nil && name != "" {
			return fmt.Errorf("onnx: %s needs %s, which there is not", n.op, name)
		}
	}
	outputs, err := n.compute(n, inputs)
	if err != nil {
		return fmt.Errorf("onnx: %s: %w", n.op, err)
	}
	for i, name := range n.outputs {
		if i < len(outputs) {
			values[name] = outputs[i]
		}
	}
	return nil
}
