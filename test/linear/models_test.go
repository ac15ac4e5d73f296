package linear_test

import (
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"
)

// change writes value where expect stands; without a value it reads.
type change struct{ expect, value string }

// changed is what came of it: unknown, refused, or what is there now.
type changed struct {
	unknown, refused bool
	value            string
}

// either is a write that may have happened or not.
func either(before, after string) []any { return []any{before, after} }

// registerModel is a value that is replaced where it is what the writer expects.
func registerModel(first string) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} },
		Step: func(state, input, output any) []any {
			now, in, out := state.(string), input.(change), output.(changed)
			switch {
			case in.value == "" && out.value == now, out.refused && now != in.expect:
				return []any{now}
			case in.value == "" || out.refused:
				return nil
			case out.unknown && now == in.expect:
				return either(now, in.value)
			case out.unknown:
				return []any{now}
			case now == in.expect:
				return []any{in.value}
			}
			return nil
		},
	}
	return model.ToModel()
}

// unknownKey stands for the successor of a key whose exchange was not answered.
const unknownKey = "?"

// chainModel is keys that are exchanged: each has one successor, which an exchange that
// is repeated gives again. The state is the chain, the last key being the live one.
func chainModel(first string) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} },
		Step: func(state, input, output any) []any {
			chain, in, out := strings.Fields(state.(string)), input.(change), output.(changed)
			at := slices.Index(chain, in.expect)
			live := at == len(chain)-1
			switch {
			case at < 0:
				return nil
			case out.refused && !live:
				return []any{state}
			case out.refused:
				return nil
			case out.unknown && live:
				return either(state.(string), state.(string)+" "+unknownKey)
			case out.unknown:
				return []any{state}
			case live && !slices.Contains(chain, out.value):
				return []any{state.(string) + " " + out.value}
			case live:
				return nil
			case chain[at+1] == unknownKey:
				chain[at+1] = out.value
				return []any{strings.Join(chain, " ")}
			case chain[at+1] == out.value:
				return []any{state}
			}
			return nil
		},
	}
	return model.ToModel()
}

// orderModel is a list in which things are moved behind another, or to the front. A
// read gives the whole order.
func orderModel(first string) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Init: func() []any { return []any{first} },
		Step: func(state, input, output any) []any {
			now, in, out := state.(string), input.(change), output.(changed)
			if in.value == "" {
				if out.value == now {
					return []any{now}
				}
				return nil
			}
			after := moved(now, in.value, in.expect)
			if out.unknown {
				return either(now, after)
			}
			return []any{after}
		},
	}
	return model.ToModel()
}

// moved is the order after a move of what behind previous.
func moved(order, what, previous string) string {
	list := slices.DeleteFunc(strings.Fields(order), func(s string) bool { return s == what })
	return strings.Join(slices.Insert(list, slices.Index(list, previous)+1, what), " ")
}
