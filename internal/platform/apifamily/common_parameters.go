package apifamily

import (
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/apifamily/fieldmask"
	"stoa.dev/stoa/internal/platform/fault"
	"stoa.dev/stoa/internal/platform/route"
)

// AltTag is the tag of a route that offers other values of alt than json; they are
// separated by commas.
const AltTag = "alt"

// Routes gives every operation of a table the common parameters. answers are values
// of the types that operations answer with, by the operations' names: fields may name
// what the type has. Of an operation without a type fields may name anything.
func Routes(routes []route.Route, answers map[string]any) []route.Route {
	for i := range routes {
		r := &routes[i]
		r.Parameters = []string{"fields", "prettyPrint", "alt", "quotaUser"}
		if r.Streams {
			continue // it writes piece by piece, and reads the parameters itself
		}
		o := &operation{handle: r.Handle, alts: alts(r)}
		if answer, ok := answers[r.Name]; ok {
			o.answer = reflect.TypeOf(answer)
		}
		r.Handle = o.serve
	}
	return routes
}

func alts(r *route.Route) []string {
	if r.Tags[AltTag] == "" {
		return nil
	}
	return strings.Split(r.Tags[AltTag], ",")
}

// operation is one route with what its answers look like.
type operation struct {
	handle route.Handler
	answer reflect.Type
	alts   []string
}

// serve reads the parameters before the operation does anything.
func (o *operation) serve(w http.ResponseWriter, r *route.Request) error {
	if !mentioned(r.URL.RawQuery) {
		return o.handle(w, r)
	}
	p, err := o.read(r)
	if err != nil {
		return err
	}
	if p.mask == nil && !p.indent {
		return o.handle(w, r)
	}
	return p.shaped(w, r, o.handle)
}

// mentioned reports whether a query may have one of the parameters: most have none,
// and are not parsed here.
func mentioned(query string) bool {
	if strings.Contains(query, "%") {
		return true // a name can be written so too
	}
	for _, name := range [...]string{"fields=", "prettyPrint=", "alt=", "callback="} {
		if strings.Contains(query, name) {
			return true
		}
	}
	return false
}

// parameters are what a request says about the form of its answer.
type parameters struct {
	mask   fieldmask.Mask
	indent bool
}

func (o *operation) read(r *route.Request) (p parameters, err error) {
	query := r.Query()
	if p.mask, err = ReadMask(r, o.answer); err != nil {
		return p, err
	}
	if text := query.Get("prettyPrint"); text != "" {
		if p.indent, err = strconv.ParseBool(text); err != nil {
			return p, errParameter("prettyPrint", "prettyPrint must be true or false")
		}
	}
	switch alt := query.Get("alt"); {
	case alt == "" || alt == "json":
	case !slices.Contains(o.alts, alt):
		return p, errParameter("alt", "alt must be "+strings.Join(append([]string{"json"}, o.alts...), " or "))
	}
	if query.Get("callback") != "" {
		return p, errParameter("callback", "answers are JSON and not scripts: callback is not offered")
	}
	return p, nil
}

// ReadMask reads fields for an answer of the type; no mask means that all of it is
// wanted. A nil type has any member.
func ReadMask(r *route.Request, answer reflect.Type) (fieldmask.Mask, error) {
	text := r.Query().Get("fields")
	if text == "" {
		return nil, nil
	}
	mask, err := fieldmask.Parse(text)
	if err == nil {
		err = mask.Check(answer)
	}
	if err != nil {
		return nil, errParameter("fields", err.Error())
	}
	return mask, nil
}

func errParameter(name, message string) error {
	return &fault.ParameterError{Name: name, Message: message}
}
