package labels

import (
	"errors"
	"fmt"
)

// Config holds the limits that are served, and how often one caller may ask.
type Config struct {
	// RequestsPerMinute is how many requests one caller may make in a minute.
	RequestsPerMinute int64 `yaml:"requests_per_minute"`
	// MaxTitleLength is the longest label title, in characters.
	MaxTitleLength int32 `yaml:"max_title_length"`
	// MaxDescriptionLength is the longest label description, in characters.
	MaxDescriptionLength int32 `yaml:"max_description_length"`
	// MaxFields is how many fields a label may have.
	MaxFields int32 `yaml:"max_fields"`
	// MaxDeletedFields is how many published fields may be deleted.
	MaxDeletedFields int32 `yaml:"max_deleted_fields"`
	// MaxDraftRevisions is how many drafts are kept before old ones go.
	MaxDraftRevisions int32 `yaml:"max_draft_revisions"`
	// MaxLabels is how many labels one user may have.
	MaxLabels int64       `yaml:"max_labels"`
	Field     FieldConfig `yaml:"field"`
}

// FieldConfig holds the limits of one field, for each type that it may have.
type FieldConfig struct {
	MaxIDLength int32 `yaml:"max_id_length"` // How many characters the id of a field may have.
	// MaxDisplayNameLength is how many characters the name of a field may have.
	MaxDisplayNameLength int32 `yaml:"max_display_name_length"`
	// MaxDescriptionLength is how many characters the description of a field may have.
	MaxDescriptionLength int32 `yaml:"max_description_length"`

	TextMaxLength     int32 `yaml:"text_max_length"`      // How many characters a text value may have.
	LongTextMaxLength int32 `yaml:"long_text_max_length"` // How many characters a long text value may have.
	IntegerMin        int64 `yaml:"integer_min"`          // IntegerMin is the smallest integer value.
	IntegerMax        int64 `yaml:"integer_max"`          // IntegerMax is the largest integer value.
	DateMin           Date  `yaml:"date_min"`             // DateMin is the earliest date value.
	DateMax           Date  `yaml:"date_max"`             // DateMax is the latest date value.
	UserMaxEntries    int32 `yaml:"user_max_entries"`     // UserMaxEntries is how many users a user field may hold.

	// SelectionMaxEntries is how many choices may be selected at once.
	SelectionMaxEntries int32 `yaml:"selection_max_entries"`
	// SelectionMaxIDLength is how many characters the id of a choice may have.
	SelectionMaxIDLength int32 `yaml:"selection_max_id_length"`
	// SelectionMaxDisplayNameLength is how many characters the name of a choice may have.
	SelectionMaxDisplayNameLength int32 `yaml:"selection_max_display_name_length"`
	// SelectionMaxChoices is how many choices a field may offer.
	SelectionMaxChoices int32 `yaml:"selection_max_choices"`
	// SelectionMaxDeletedChoices is how many deleted choices a field keeps.
	SelectionMaxDeletedChoices int32 `yaml:"selection_max_deleted_choices"`
}

// maxSafeInteger is the largest integer that every JSON reader keeps exact.
const maxSafeInteger = 1<<53 - 1

// DefaultConfig is a self-consistent set of limits.
func DefaultConfig() Config {
	return Config{
		RequestsPerMinute:    6000,
		MaxTitleLength:       50,
		MaxDescriptionLength: 250,
		MaxFields:            10,
		MaxDeletedFields:     100,
		MaxDraftRevisions:    100,
		MaxLabels:            500,
		Field: FieldConfig{
			MaxIDLength:                   40,
			MaxDisplayNameLength:          50,
			MaxDescriptionLength:          250,
			TextMaxLength:                 100,
			LongTextMaxLength:             250,
			IntegerMin:                    -maxSafeInteger,
			IntegerMax:                    maxSafeInteger,
			DateMin:                       Date{Year: 1, Month: 1, Day: 1},
			DateMax:                       Date{Year: 9999, Month: 12, Day: 31},
			UserMaxEntries:                10,
			SelectionMaxEntries:           10,
			SelectionMaxIDLength:          40,
			SelectionMaxDisplayNameLength: 50,
			SelectionMaxChoices:           200,
			SelectionMaxDeletedChoices:    200,
		},
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	positive := map[string]int64{
		"requests_per_minute":                     c.RequestsPerMinute,
		"max_title_length":                        int64(c.MaxTitleLength),
		"max_description_length":                  int64(c.MaxDescriptionLength),
		"max_fields":                              int64(c.MaxFields),
		"max_deleted_fields":                      int64(c.MaxDeletedFields),
		"max_draft_revisions":                     int64(c.MaxDraftRevisions),
		"max_labels":                              c.MaxLabels,
		"field.max_id_length":                     int64(c.Field.MaxIDLength),
		"field.max_display_name_length":           int64(c.Field.MaxDisplayNameLength),
		"field.max_description_length":            int64(c.Field.MaxDescriptionLength),
		"field.text_max_length":                   int64(c.Field.TextMaxLength),
		"field.long_text_max_length":              int64(c.Field.LongTextMaxLength),
		"field.user_max_entries":                  int64(c.Field.UserMaxEntries),
		"field.selection_max_entries":             int64(c.Field.SelectionMaxEntries),
		"field.selection_max_id_length":           int64(c.Field.SelectionMaxIDLength),
		"field.selection_max_display_name_length": int64(c.Field.SelectionMaxDisplayNameLength),
		"field.selection_max_choices":             int64(c.Field.SelectionMaxChoices),
		"field.selection_max_deleted_choices":     int64(c.Field.SelectionMaxDeletedChoices),
	}
	for name, value := range positive {
		if value <= 0 {
			bad = append(bad, fmt.Errorf("labels.%s must be above 0, not %d", name, value))
		}
	}
	if c.Field.IntegerMin > c.Field.IntegerMax {
		bad = append(bad, errors.New("labels.field.integer_min is above integer_max"))
	}
	if c.Field.DateMax.before(c.Field.DateMin) {
		bad = append(bad, errors.New("labels.field.date_max is before date_min"))
	}
	return errors.Join(bad...)
}
