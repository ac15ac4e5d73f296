package seed

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Write is a seed file of what the sections find in a living world.
func Write(ctx context.Context, sections []Section) ([]byte, error) {
	var p printer
	for _, s := range sections {
		if s.write == nil {
			p.line("# " + s.Name + " are not written")
			continue
		}
		list, err := s.write(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if v := reflect.ValueOf(list); v.Len() > 0 {
			p.out.WriteString(s.Name + ":\n")
			p.elements(v, 0)
		}
	}
	return p.out.Bytes(), nil
}

// printer writes values as YAML that decode reads back.
type printer struct{ out bytes.Buffer }

func (p *printer) indent(depth int) { p.out.WriteString(strings.Repeat("  ", depth)) }

// elements writes a list that is not empty, one element a line.
func (p *printer) elements(v reflect.Value, depth int) {
	for i := range v.Len() {
		p.indent(depth)
		p.out.WriteString("- ")
		p.value(v.Index(i), depth+1, true)
	}
}

// value writes what follows a name or a dash. After a dash an object begins on the
// same line.
func (p *printer) value(v reflect.Value, depth int, dash bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch {
	case isTime(v.Type()):
		p.line(v.Interface().(time.Time).Format(time.RFC3339Nano))
	case v.Kind() == reflect.Struct:
		p.object(v, depth, dash)
	case v.Kind() == reflect.Map:
		p.table(v, depth)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Float64:
		p.numbers(v, depth)
	case v.Kind() == reflect.Slice && v.Len() == 0:
		p.line(" []")
	case v.Kind() == reflect.Slice:
		p.out.WriteString("\n")
		p.elements(v, max(depth-1, 0))
	case v.Kind() == reflect.String:
		p.text(v.String(), depth)
	case v.Kind() == reflect.Float64:
		p.line(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	default:
		p.line(fmt.Sprint(v.Interface()))
	}
}

func (p *printer) line(text string) { p.out.WriteString(text + "\n") }

// object writes the members that are not empty.
func (p *printer) object(v reflect.Value, depth int, dash bool) {
	first := true
	for _, f := range fieldsOf(v.Type()) {
		member := v.Field(f.index)
		if empty(member) && !f.required {
			continue
		}
		if !first || !dash {
			if first {
				p.out.WriteString("\n")
			}
			p.indent(depth)
		}
		first = false
		p.out.WriteString(f.name + ":" + gap(member))
		p.value(member, depth+1, false)
	}
	if first {
		p.line(" {}")
	}
}

// gap stands between a name and a value that begins on the same line.
func gap(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	block := v.Kind() == reflect.Map || v.Kind() == reflect.Struct && !isTime(v.Type()) ||
		v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Float64
	if block {
		return ""
	}
	return " "
}

// empty reports whether a member can be left out.
func empty(v reflect.Value) bool {
	return v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0
}

func (p *printer) table(v reflect.Value, depth int) {
	p.out.WriteString("\n")
	names := slices.Sorted(maps.Keys(v.Interface().(map[string]string)))
	for _, name := range names {
		p.indent(depth)
		p.out.WriteString(quoted(name) + ": ")
		p.text(v.MapIndex(reflect.ValueOf(name)).String(), depth+1)
	}
}

// numbersInLine keeps lines short: the reader's work grows with the square of the
// commas of a line.
const numbersInLine = 12

func (p *printer) numbers(v reflect.Value, depth int) {
	p.out.WriteString("[")
	for i := range v.Len() {
		if i > 0 {
			p.out.WriteString(",")
		}
		switch {
		case i%numbersInLine == 0 && v.Len() > numbersInLine:
			p.out.WriteString("\n")
			p.indent(depth)
		case i > 0:
			p.out.WriteString(" ")
		}
		p.out.WriteString(strconv.FormatFloat(v.Index(i).Float(), 'g', -1, 64))
	}
	p.line("]")
}

// plain texts mean themselves in YAML without quotes.
var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./@+]*([ -][A-Za-z0-9_./@+]+)*$`)

// reserved texts mean something else without quotes, in one version of YAML or another.
var reserved = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf)$`)

func quoted(text string) string {
	if plain.MatchString(text) && !reserved.MatchString(text) && len(text) < 100 {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return strconv.Quote(text) // text always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// block texts can be written line by line.
var block = regexp.MustCompile(`^([!-~]([ -~]*[!-~])?)?(\n([ -~]*[!-~])?)*$`)

// text writes long texts line by line where YAML keeps them as they are.
func (p *printer) text(text string, depth int) {
	body := strings.TrimSuffix(text, "\n")
	if !strings.Contains(body, "\n") || strings.HasSuffix(body, "\n") || !block.MatchString(body) ||
		strings.HasPrefix(body, "\n") {
		p.line(quoted(text))
		return
	}
	p.out.WriteString("|")
	if body == text {
		p.out.WriteString("-")
	}
	p.out.WriteString("\n")
	for row := range strings.Lines(body) {
		if row != "\n" {
			p.indent(depth)
		}
		p.out.WriteString(row)
	}
	p.out.WriteString("\n")
}
