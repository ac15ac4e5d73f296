// Package onnx runs small encoder models in the ONNX format, in Go alone: the
// two dozen operators that quantized sentence encoders of the BERT family are made
// of. A graph with any other operator is refused when it is opened. What depends on
// weights alone is computed once.
package onnx
