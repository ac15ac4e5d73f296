// Package tokens counts what a request weighs in tokens, by modality.
//
// Text is counted with the byte-pair vocabulary cl100k_base, or by a backend that
// has a vocabulary of its own (Counter). Media are weighed by the yardsticks of
// the public documentation. Counting ends with its context, and as soon as a
// limit is passed.
package tokens
