package conduct

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Open are things that a client was told of and has not dealt with yet. Words say
// what is wrong with those that are left, after the request's line.
type Open struct {
	Words string

	things Memory[string, thing]
}

type thing struct {
	request Past
	line    string
}

// Add notes a thing that the answer to a request brought up.
func (o *Open) Add(key string, r *Request) { o.things.Put(key, thing{r.Past(), r.Line()}) }

// Close notes that the client has dealt with it.
func (o *Open) Close(key string) { o.things.Delete(key) }

// Report adds what is left, in order.
func (o *Open) Report(b *Breaches) {
	var left []thing
	o.things.Each(func(_ string, t thing) { left = append(left, t) })
	slices.SortFunc(left, func(a, b thing) int { return cmp.Compare(a.request.number, b.request.number) })
	for _, t := range left {
		b.Add(t.line+" "+o.Words, t.request)
	}
}

// Text is a JSON value as a text that equal values share.
func Text(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
