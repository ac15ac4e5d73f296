package catalog

import "fmt"

// guarded calls a library's parser. The libraries panic on some malformed input,
// which anyone can publish in a registry; here a panic is one
// more way to say that the input is no good.
func guarded[T any](parse func() (T, error)) (value T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return parse()
}
