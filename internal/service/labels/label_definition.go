package labels

// Definition is what the owner of a label writes. It is stored as JSON, so its names
// are those of the API.
type Definition struct {
	Properties Properties `json:"properties"`
	Fields     []Field    `json:"fields,omitempty"`
}

// Properties name a label.
type Properties struct {
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
}

// Field is one thing that a label says about a file. Exactly one of its options is set.
type Field struct {
	ID         string          `json:"id,omitempty"`
	Properties FieldProperties `json:"properties"`

	Text      *TextOptions      `json:"textOptions,omitempty"`
	Integer   *IntegerOptions   `json:"integerOptions,omitempty"`
	Date      *DateOptions      `json:"dateOptions,omitempty"`
	Selection *SelectionOptions `json:"selectionOptions,omitempty"`
	User      *UserOptions      `json:"userOptions,omitempty"`
}

// FieldProperties name a field.
type FieldProperties struct {
	DisplayName string `json:"displayName"`
	Required    bool   `json:"required,omitempty"`
}

// TextOptions bound a text.
type TextOptions struct {
	MinLength int32 `json:"minLength,omitempty"`
	MaxLength int32 `json:"maxLength,omitempty"`
}

// IntegerOptions bound a number; both are texts that hold 64-bit numbers.
type IntegerOptions struct {
	MinValue string `json:"minValue,omitempty"`
	MaxValue string `json:"maxValue,omitempty"`
}

// DateOptions say how a day is written.
type DateOptions struct {
	Format string `json:"dateFormatType,omitempty"`
}

// SelectionOptions are choices.
type SelectionOptions struct {
	List    *ListOptions `json:"listOptions,omitempty"`
	Choices []Choice     `json:"choices,omitempty"`
}

// UserOptions are users.
type UserOptions struct {
	List *ListOptions `json:"listOptions,omitempty"`
}

// ListOptions let a field have several values.
type ListOptions struct {
	MaxEntries int32 `json:"maxEntries,omitempty"`
}

// Choice is one value of a selection.
type Choice struct {
	ID         string          `json:"id,omitempty"`
	Properties FieldProperties `json:"properties"`
}
