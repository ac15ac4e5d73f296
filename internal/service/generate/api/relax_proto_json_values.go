package api

import "encoding/json"

// RelaxValues rewrites what proto JSON takes and JSON's types do not: one value
// where a list is wanted, and numbers as text. The text must be valid JSON with
// members in their own spelling; false means that there was nothing to rewrite.
func RelaxValues(b []byte) ([]byte, bool) {
	w := nameRewriter{in: b, out: make([]byte, 0, len(b)), relax: true}
	w.value(ownNames)
	return w.out, w.relaxed
}

// relaxedValue writes the value of a member if it has to be rewritten.
func (w *nameRewriter) relaxedValue(name string) bool {
	w.space()
	if w.pos >= len(w.in) {
		return false
	}
	first := w.in[w.pos]
	switch {
	case first == '{' && objectLists(name), first == '"' && textLists(name):
		w.out = append(w.out, '[')
		w.value(namesInside(ownNames, name))
		w.out = append(w.out, ']')
	case first == '"' && numbers(name):
		quoted := w.text()
		if len(quoted) < 2 {
			return false
		}
		var number json.Number
		if bare := quoted[1 : len(quoted)-1]; json.Unmarshal(bare, &number) == nil && number != "" {
			quoted = bare
		}
		w.out = append(w.out, quoted...)
		w.space()
	default:
		return false
	}
	w.relaxed = true
	return true
}

// objectLists reports whether a member is a list of objects.
func objectLists(name string) bool {
	switch name {
	case "contents", "parts", "tools", "functionDeclarations", "safetySettings", "requests", "anyOf":
		return true
	}
	return false
}

// textLists reports whether a member is a list of texts.
func textLists(name string) bool {
	switch name {
	case "stopSequences", "allowedFunctionNames", "responseModalities", "required", "enum", "propertyOrdering":
		return true
	}
	return false
}

// numbers reports whether a member is a number.
func numbers(name string) bool {
	switch name {
	case "candidateCount", "maxOutputTokens", "temperature", "topP", "topK", "seed", "presencePenalty",
		"frequencyPenalty", "logprobs", "thinkingBudget", "outputDimensionality", "minimum", "maximum":
		return true
	}
	return false
}
