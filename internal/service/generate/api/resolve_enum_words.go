package api

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Enum is a word of a closed list. Requests may send its number instead, as
// generated clients do; Words.Resolve turns both into the word.
type Enum string

// UnmarshalJSON takes a word or a number; the number is kept as "#7" until the
// list it belongs to is known.
func (e *Enum) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var word string
		err := json.Unmarshal(b, &word)
		*e = Enum(word)
		return err
	}
	var number int
	if err := json.Unmarshal(b, &number); err != nil {
		return err
	}
	*e = Enum("#" + strconv.Itoa(number))
	return nil
}

// Words is a closed list, separated by blanks, in the order of its numbers.
type Words string

// Resolve finds the word; an absent one is the first.
func (w Words) Resolve(field string, e Enum) (Enum, error) {
	words := strings.Fields(string(w))
	if e == "" {
		return Enum(words[0]), nil
	}
	if number, ok := strings.CutPrefix(string(e), "#"); ok {
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(words) {
			return Enum(words[i]), nil
		}
	} else if i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, string(e)) }); i >= 0 {
		return Enum(words[i]), nil // clients write auto and AUTO
	}
	given := strings.TrimPrefix(string(e), "#")
	return "", ErrInvalidField(field, "%q is not one of %s", given, strings.Join(words, ", "))
}

// ResolveInto replaces a number by its word.
func (w Words) ResolveInto(field string, e *Enum) error {
	word, err := w.Resolve(field, *e)
	if err == nil {
		*e = word
	}
	return err
}

// The closed lists.
const (
	Categories Words = "HARM_CATEGORY_UNSPECIFIED HARM_CATEGORY_DEROGATORY HARM_CATEGORY_TOXICITY " +
		"HARM_CATEGORY_VIOLENCE HARM_CATEGORY_SEXUAL HARM_CATEGORY_MEDICAL " +
		"HARM_CATEGORY_DANGEROUS HARM_CATEGORY_HARASSMENT HARM_CATEGORY_HATE_SPEECH " +
		"HARM_CATEGORY_SEXUALLY_EXPLICIT HARM_CATEGORY_DANGEROUS_CONTENT " +
		"HARM_CATEGORY_CIVIC_INTEGRITY"
	Thresholds Words = "HARM_BLOCK_THRESHOLD_UNSPECIFIED BLOCK_LOW_AND_ABOVE BLOCK_MEDIUM_AND_ABOVE " +
		"BLOCK_ONLY_HIGH BLOCK_NONE OFF"
	callModes   Words = "MODE_UNSPECIFIED AUTO ANY NONE VALIDATED"
	schemaTypes Words = "TYPE_UNSPECIFIED STRING NUMBER INTEGER BOOLEAN ARRAY OBJECT NULL"
	languages   Words = "LANGUAGE_UNSPECIFIED PYTHON"
	outcomes    Words = "OUTCOME_UNSPECIFIED OUTCOME_OK OUTCOME_FAILED OUTCOME_DEADLINE_EXCEEDED"
	modalities  Words = "MODALITY_UNSPECIFIED TEXT IMAGE AUDIO"
	resolutions Words = "MEDIA_RESOLUTION_UNSPECIFIED MEDIA_RESOLUTION_LOW MEDIA_RESOLUTION_MEDIUM " +
		"MEDIA_RESOLUTION_HIGH"
	thinkingLevels Words = "THINKING_LEVEL_UNSPECIFIED LOW HIGH MEDIUM MINIMAL"
	behaviors      Words = "UNSPECIFIED BLOCKING NON_BLOCKING"
	schedulings    Words = "SCHEDULING_UNSPECIFIED SILENT WHEN_IDLE INTERRUPT"
	TaskTypes      Words = "TASK_TYPE_UNSPECIFIED RETRIEVAL_QUERY RETRIEVAL_DOCUMENT SEMANTIC_SIMILARITY " +
		"CLASSIFICATION CLUSTERING QUESTION_ANSWERING FACT_VERIFICATION CODE_RETRIEVAL_QUERY"
	serviceTiers Words = "unspecified standard flex priority"
)
