package generate

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Enum is a word of a closed list. Requests may send its number instead, as
// generated clients do; resolve turns both into the word.
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

// words is a closed list, in the order of its numbers.
type words []string

// resolve finds the word; an absent one is the first.
func (w words) resolve(field string, e Enum) (Enum, error) {
	if e == "" {
		return Enum(w[0]), nil
	}
	if number, ok := strings.CutPrefix(string(e), "#"); ok {
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(w) && w[i] != "" {
			return Enum(w[i]), nil
		}
	} else if slices.Contains(w, string(e)) {
		return e, nil
	}
	return "", errInvalid(field, "%q is not one of %s", strings.TrimPrefix(string(e), "#"), strings.Join(w.named(), ", "))
}

func (w words) named() []string {
	return slices.DeleteFunc(slices.Clone([]string(w)), func(s string) bool { return s == "" })
}

// The lists are functions, not variables, so that nobody can change them. An
// empty place is a number that has no word here.

func categories() words {
	return words{
		"HARM_CATEGORY_UNSPECIFIED", "HARM_CATEGORY_DEROGATORY", "HARM_CATEGORY_TOXICITY", "HARM_CATEGORY_VIOLENCE",
		"HARM_CATEGORY_SEXUAL", "HARM_CATEGORY_MEDICAL", "HARM_CATEGORY_DANGEROUS",
		"HARM_CATEGORY_HARASSMENT", "HARM_CATEGORY_HATE_SPEECH", "HARM_CATEGORY_SEXUALLY_EXPLICIT",
		"HARM_CATEGORY_DANGEROUS_CONTENT", "HARM_CATEGORY_CIVIC_INTEGRITY",
	}
}

func thresholds() words {
	return words{
		"HARM_BLOCK_THRESHOLD_UNSPECIFIED", "BLOCK_LOW_AND_ABOVE", "BLOCK_MEDIUM_AND_ABOVE", "BLOCK_ONLY_HIGH",
		"BLOCK_NONE", "OFF",
	}
}

func callModes() words { return words{"MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"} }

func schemaTypes() words {
	return words{"TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"}
}

func languages() words { return words{"LANGUAGE_UNSPECIFIED", "PYTHON"} }

func outcomes() words {
	return words{"OUTCOME_UNSPECIFIED", "OUTCOME_OK", "OUTCOME_FAILED", "OUTCOME_DEADLINE_EXCEEDED"}
}

func modalities() words { return words{"MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO"} }

func resolutions() words {
	return words{"MEDIA_RESOLUTION_UNSPECIFIED", "MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_MEDIUM", "MEDIA_RESOLUTION_HIGH"}
}

func thinkingLevels() words {
	return words{"THINKING_LEVEL_UNSPECIFIED", "LOW", "HIGH", "MEDIUM", "MINIMAL"}
}

func behaviors() words { return words{"UNSPECIFIED", "BLOCKING", "NON_BLOCKING"} }

func schedulings() words { return words{"SCHEDULING_UNSPECIFIED", "SILENT", "WHEN_IDLE", "INTERRUPT"} }

func taskTypes() words {
	return words{
		"TASK_TYPE_UNSPECIFIED", "RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT", "SEMANTIC_SIMILARITY", "CLASSIFICATION",
		"CLUSTERING", "QUESTION_ANSWERING", "FACT_VERIFICATION", "CODE_RETRIEVAL_QUERY",
	}
}

func serviceTiers() words { return words{"unspecified", "standard", "flex", "priority"} }
