package labels

import (
	"encoding/json"
	"strconv"
)

// labelLimitsJSON is LabelLimits of the contract.
type labelLimitsJSON struct {
	Name                 string          `json:"name"`
	MaxTitleLength       int32           `json:"maxTitleLength"`
	MaxDescriptionLength int32           `json:"maxDescriptionLength"`
	MaxFields            int32           `json:"maxFields"`
	MaxDeletedFields     int32           `json:"maxDeletedFields"`
	MaxDraftRevisions    int32           `json:"maxDraftRevisions"`
	FieldLimits          fieldLimitsJSON `json:"fieldLimits"`
}

type fieldLimitsJSON struct {
	MaxIDLength          int32               `json:"maxIdLength"`
	MaxDisplayNameLength int32               `json:"maxDisplayNameLength"`
	MaxDescriptionLength int32               `json:"maxDescriptionLength"`
	TextLimits           lengthLimitsJSON    `json:"textLimits"`
	LongTextLimits       lengthLimitsJSON    `json:"longTextLimits"`
	IntegerLimits        integerLimitsJSON   `json:"integerLimits"`
	DateLimits           dateLimitsJSON      `json:"dateLimits"`
	UserLimits           userLimitsJSON      `json:"userLimits"`
	SelectionLimits      selectionLimitsJSON `json:"selectionLimits"`
}

type lengthLimitsJSON struct {
	MinLength int32 `json:"minLength"`
	MaxLength int32 `json:"maxLength"`
}

// integerLimitsJSON holds 64-bit numbers as strings, so that no reader rounds
// them.
type integerLimitsJSON struct {
	MinValue string `json:"minValue"`
	MaxValue string `json:"maxValue"`
}

type dateLimitsJSON struct {
	MinValue dateJSON `json:"minValue"`
	MaxValue dateJSON `json:"maxValue"`
}

type dateJSON struct {
	Year  int `json:"year"`
	Month int `json:"month"`
	Day   int `json:"day"`
}

type userLimitsJSON struct {
	ListLimits listLimitsJSON `json:"listLimits"`
}

type listLimitsJSON struct {
	MaxEntries int32 `json:"maxEntries"`
}

type selectionLimitsJSON struct {
	ListLimits           listLimitsJSON `json:"listLimits"`
	MaxIDLength          int32          `json:"maxIdLength"`
	MaxDisplayNameLength int32          `json:"maxDisplayNameLength"`
	MaxChoices           int32          `json:"maxChoices"`
	MaxDeletedChoices    int32          `json:"maxDeletedChoices"`
}

func toWire(c Config) labelLimitsJSON {
	f := c.Field
	return labelLimitsJSON{
		Name:                 LimitsName,
		MaxTitleLength:       c.MaxTitleLength,
		MaxDescriptionLength: c.MaxDescriptionLength,
		MaxFields:            c.MaxFields,
		MaxDeletedFields:     c.MaxDeletedFields,
		MaxDraftRevisions:    c.MaxDraftRevisions,
		FieldLimits: fieldLimitsJSON{
			MaxIDLength:          f.MaxIDLength,
			MaxDisplayNameLength: f.MaxDisplayNameLength,
			MaxDescriptionLength: f.MaxDescriptionLength,
			TextLimits:           lengthLimitsJSON{MaxLength: f.TextMaxLength},
			LongTextLimits:       lengthLimitsJSON{MaxLength: f.LongTextMaxLength},
			IntegerLimits: integerLimitsJSON{
				MinValue: strconv.FormatInt(f.IntegerMin, 10),
				MaxValue: strconv.FormatInt(f.IntegerMax, 10),
			},
			DateLimits: dateLimitsJSON{MinValue: dateJSON(f.DateMin), MaxValue: dateJSON(f.DateMax)},
			UserLimits: userLimitsJSON{ListLimits: listLimitsJSON{MaxEntries: f.UserMaxEntries}},
			SelectionLimits: selectionLimitsJSON{
				ListLimits:           listLimitsJSON{MaxEntries: f.SelectionMaxEntries},
				MaxIDLength:          f.SelectionMaxIDLength,
				MaxDisplayNameLength: f.SelectionMaxDisplayNameLength,
				MaxChoices:           f.SelectionMaxChoices,
				MaxDeletedChoices:    f.SelectionMaxDeletedChoices,
			},
		},
	}
}

// encodeLimits makes the only answer there is.
func encodeLimits(c Config) []byte {
	text, err := json.Marshal(toWire(c))
	if err != nil {
		panic("labels: a struct of numbers and strings did not encode: " + err.Error())
	}
	return text
}
