package journal

import (
	"strings"

	"stoa.dev/stoa/internal/platform/telemetry"
)

// What is kept of a text that a client can make long.
const (
	maxTarget = 8 << 10
	maxReason = 1 << 10
	maxHeader = 16 << 10
)

// Finish keeps the record. What comes afterwards is no part of it.
func (d *Draft) Finish(e *Entry) *Record {
	if d == nil {
		return nil
	}
	e.Reason = e.Explain.Refusal(e.Status, e.Reason, e.RequestHeader)
	r := d.keep(e)
	if s, ok := d.parent.Value(slotKey{}).(*Slot); ok {
		s.put(r)
	}
	return r
}

// keep hands the record to the journal, which copies it and its text.
func (d *Draft) keep(e *Entry) *Record {
	d.mu.Lock()
	defer d.mu.Unlock()
	full := d.bodies != nil
	if !full {
		d.bodies = takeBodies()
	}
	b := d.bodies
	r := &b.record
	*r = Record{
		At: e.At, Duration: e.Duration, Service: e.Service, Operation: e.Operation, Method: e.Method, Status: e.Status,
		Limits: d.limits, Caused: d.caused, decoded: d.decoded, after: d.after, began: d.began,
		Delay: d.delay, ByConsole: e.ByConsole, Page: e.Page,
	}
	w := writer{record: r, text: b.text}
	w.text = append(append(append(w.text, e.Service...), ' '), e.Operation...)
	w.add(names, " "+e.Method, maxReason)
	w.add(path, e.Path, maxTarget)
	if full {
		w.add(query, e.Query, maxTarget)
		w.add(target, e.Target, maxTarget)
	} else {
		w.add(query, telemetry.MaskQuery(e.Query), maxTarget)
		w.add(target, "", 0)
	}
	w.add(reason, e.Reason, maxReason)
	w.add(caller, e.Caller, maxReason)
	w.add(fault, d.fault, maxReason)
	w.add(faultRule, d.faultRule, maxReason)
	w.add(host, e.Host, maxReason)
	if full {
		w.add(requestID, "", 0)
		w.addBodies(e, b)
	} else {
		w.add(requestID, Join(idHeader, e.ResponseHeader[idHeader]), maxReason)
		w.skipTo(parts)
	}
	b.text = w.text
	kept := d.journal.add(r, b.text, b.response)
	d.release()
	return kept
}

// writer puts the texts of a record together.
type writer struct {
	record *Record
	text   []byte
}

func (w *writer) add(p part, s string, limit int) {
	w.text = append(w.text, s[:min(len(s), limit)]...)
	w.record.ends[p] = uint32(len(w.text))
}

// skipTo leaves the parts that follow empty.
func (w *writer) skipTo(end part) {
	for p := requestHeader; p < end; p++ {
		w.record.ends[p] = uint32(len(w.text))
	}
}

func (w *writer) addBodies(e *Entry, b *bodies) {
	r := w.record
	r.RequestCut, r.ResponseCut = b.requestCut, b.responseCut
	if unkept(e.RequestHeader) {
		r.RequestCut, b.request = r.RequestCut || len(b.request) > 0, b.request[:0]
	}
	if unkept(e.ResponseHeader) {
		r.ResponseCut, b.response = r.ResponseCut || len(b.response) > 0, b.response[:0]
	}
	w.addHeader(requestHeader, e.RequestHeader)
	w.text = append(w.text, b.request...)
	r.ends[requestBody] = uint32(len(w.text))
	w.addHeader(responseHeader, e.ResponseHeader)
}

// addHeader writes names and values, each with a NUL after it, which none has.
func (w *writer) addHeader(p part, h map[string][]string) {
	begin := len(w.text)
	for name, values := range h {
		for _, value := range values {
			if len(w.text)-begin+len(name)+len(value) > maxHeader {
				continue
			}
			w.text = append(w.text, name...)
			w.text = append(w.text, 0)
			w.text = append(w.text, value...)
			w.text = append(w.text, 0)
		}
	}
	w.record.ends[p] = uint32(len(w.text))
}

// unkept reports whether a body of this type is not kept: pages may show a secret
// once, in words that no rule finds, and what git sends is packed.
func unkept(h map[string][]string) bool {
	values := h["Content-Type"]
	return len(values) > 0 && (strings.HasPrefix(values[0], "text/html") ||
		strings.HasPrefix(values[0], "application/x-git-"))
}

// textBlock takes the texts of records one after the other, so that many share one
// allocation. A block is freed when the last of its records is.
type textBlock struct{ builder *strings.Builder }

// The first block is small, since many worlds are asked little.
const (
	firstBlock   = 4 << 10
	largestBlock = 64 << 10
)

// keep copies a text. One that would fill a good part of a block gets its own.
func (b *textBlock) keep(text []byte) string {
	if len(text) > largestBlock/4 {
		return string(text)
	}
	if b.builder == nil || b.builder.Cap()-b.builder.Len() < len(text) {
		size := firstBlock
		if b.builder != nil {
			size = min(2*b.builder.Cap(), largestBlock)
		}
		b.builder = new(strings.Builder)
		b.builder.Grow(max(size, len(text)))
	}
	begin := b.builder.Len()
	b.builder.Write(text)
	return b.builder.String()[begin:]
}
