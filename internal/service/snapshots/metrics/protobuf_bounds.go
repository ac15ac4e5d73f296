//go:build !small

package metrics

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Bounds of one submission, counted before anything is made of it.
const (
	// MaxLabel is the longest value of a label that other protocols bring.
	MaxLabel = 2_048
	// maxElements is how many parts a message may have in all: an empty one
	// takes two bytes on the wire and hundreds in memory.
	maxElements = 500_000
	// elementBytes is what a part takes.
	elementBytes = 96
	// maxNested is how deep messages may nest.
	maxNested = 32
	// maxLabelBytes is how long the tags of all series of a submission may be,
	// those of a resource counted for each point.
	maxLabelBytes = 32 << 20
	// tagBytes is what a tag takes beside its text.
	tagBytes = 32
)

// errWire means that bytes are no protobuf message.
var errWire = errors.New("the message is cut off or malformed")

// shape is what is counted of a message: its fields that are messages, and
// whether a list of numbers may be packed.
type shape interface {
	// field tells what a field is: a message of a shape, or a packed list whose
	// numbers have a size (0 is varint, -1 not packed).
	field(n protowire.Number) (message shape, packed int)
}

// tally counts the elements of a message by walking over its bytes.
type tally struct{ elements int }

func (t *tally) add(n int) error {
	if t.elements += n; t.elements > maxElements {
		return &BoundError{"parts", maxElements}
	}
	return nil
}

// message counts every field that becomes something in memory.
func (t *tally) message(b []byte, s shape, depth int) error {
	if depth > maxNested {
		return &BoundError{"levels of messages", maxNested}
	}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errWire
		}
		size := protowire.ConsumeFieldValue(number, kind, b[n:])
		if size < 0 {
			return errWire
		}
		value := b[n : n+size]
		b = b[n+size:]
		inner, packed := s.field(number)
		if kind != protowire.BytesType || inner == nil && packed < 0 {
			if err := t.add(1); err != nil {
				return err
			}
			continue
		}
		content, _ := protowire.ConsumeBytes(value) // its size was checked
		err := t.add(1 + packedCount(content, packed))
		if err == nil && inner != nil {
			err = t.message(content, inner, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packedCount is how many numbers a packed list has.
func packedCount(b []byte, size int) int {
	switch {
	case size < 0:
		return 0
	case size > 0:
		return len(b) / size
	}
	n := 0
	for _, c := range b {
		if c < 0x80 {
			n++
		}
	}
	return n
}

// described is the shape of a message that describes itself.
type described struct{ protoreflect.MessageDescriptor }

func (d described) field(n protowire.Number) (shape, int) {
	f := d.Fields().ByNumber(n)
	switch {
	case f == nil:
		return nil, -1
	case f.Message() != nil:
		return described{f.Message()}, -1
	case !f.IsList():
		return nil, -1
	}
	switch f.Kind() {
	case protoreflect.StringKind, protoreflect.BytesKind:
		return nil, -1
	case protoreflect.DoubleKind, protoreflect.Fixed64Kind, protoreflect.Sfixed64Kind:
		return nil, 8
	case protoreflect.FloatKind, protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return nil, 4
	default:
		return nil, 0
	}
}

// written is the shape of a message by the numbers of its fields.
type written struct {
	messages map[protowire.Number]shape
	packed   map[protowire.Number]int
}

func (w written) field(n protowire.Number) (shape, int) {
	if size, ok := w.packed[n]; ok {
		return nil, size
	}
	return w.messages[n], -1
}

// writeRequest is the shape of remote write, version 1.
func writeRequest() shape {
	plain := written{}
	exemplar := written{messages: map[protowire.Number]shape{1: plain}}
	histogram := written{
		messages: map[protowire.Number]shape{8: plain, 11: plain},
		packed:   map[protowire.Number]int{9: 0, 10: 8, 12: 0, 13: 8, 16: 8},
	}
	series := written{messages: map[protowire.Number]shape{1: plain, 2: plain, 3: exemplar, 4: histogram}}
	return written{messages: map[protowire.Number]shape{1: series, 3: plain}}
}

// count refuses a message with too many parts and takes memory for the others.
func count(b []byte, s shape, reserve ReserveMemory) error {
	var t tally
	if err := t.message(b, s, 0); err != nil {
		return err
	}
	return reserve.Weigh(int64(t.elements) * elementBytes)
}

// collected is what a decoder has made of a message so far.
type collected struct {
	reserve ReserveMemory
	series  int
	points  int
	labels  int
}

// add counts a series with its tags and points before it is kept.
func (c *collected) add(tags []string, points int) error {
	if c.series++; c.series > MaxSubmitted {
		return &BoundError{"series", MaxSubmitted}
	}
	if c.points += points; c.points > MaxSubmitted {
		return &BoundError{"points", MaxSubmitted}
	}
	n := 0
	for _, t := range tags {
		n += len(t) + tagBytes
	}
	if c.labels += n; c.labels > maxLabelBytes {
		return &BoundError{"bytes of tags, those of a resource counted for each point,", maxLabelBytes}
	}
	return c.reserve.Weigh(int64(2 * n))
}
