package main

import (
	"go/types"
	"maps"
	"slices"

	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/test/openapi/answers"
)

const jsonMedia = "application/json"

// envelope are the types of the service's failures: what its writeError writes.
func (d *description) envelope() []types.Type {
	base := home(d.module.Name) + "."
	for _, name := range []string{"writeError", "Service.writeError"} {
		f := d.named[base+name]
		if f == nil {
			continue
		}
		t := d.trace(f)
		var all []types.Type
		for _, status := range t.statuses() {
			for _, typed := range t.out[status] {
				all = appendType(all, typed)
			}
		}
		for _, typed := range t.encoded {
			all = appendType(all, typed)
		}
		if len(all) > 0 {
			return all
		}
	}
	return nil
}

// refused describes every answer of an operation that is no success: the envelope of the
// service, and what else was seen there, such as the envelope of a protocol or a page.
func (d *description) refused(r route.Route, learnt answers.Media) object {
	contents := object{}
	if schema := d.failureSchema(); schema != nil {
		contents[jsonMedia] = object{"schema": schema}
	}
	for _, kind := range slices.Sorted(maps.Keys(learnt)) {
		shape, body := learnt[kind], object{}
		switch {
		case len(shape.Types) == 0:
			contents[kind] = body
		case kind == jsonMedia && len(d.failure) == 0, describes(d.failure, shape):
			contents[kind] = object{"schema": d.failureSchema()}
		default:
			contents[kind] = body
			d.pending = append(d.pending, pending{content: body, shape: shape, noun: failureNoun, or: d.failureSchema()})
		}
	}
	out := object{"description": "refused or failed"}
	if len(contents) > 0 {
		out["content"] = contents
	}
	return out
}

// failureNoun names the objects of refusals.
const failureNoun = "refusal"

// failureSchema is the envelope of the service. Where the source does not show it, it is
// what all operations were seen to refuse with.
func (d *description) failureSchema() object {
	if len(d.failure) > 0 {
		return d.either(d.failure)
	}
	const name = "Refusal"
	reference := object{"$ref": "#/components/schemas/" + name}
	if d.schemas.components[name] != nil {
		return reference
	}
	var all *answers.Shape
	for _, operation := range slices.Sorted(maps.Keys(d.learnt)) {
		all = answers.Merge(all, d.learnt[operation][answers.Refused][jsonMedia])
	}
	if all == nil {
		return nil
	}
	d.schemas.components[name] = members(nil, all)
	return reference
}
