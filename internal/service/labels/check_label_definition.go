package labels

import (
	"strconv"
	"unicode/utf8"
)

// complete holds a definition against the limits and gives ids to fields and choices.
func (s *Service) complete(d Definition) (Definition, error) {
	c := s.config
	if d.Properties.Title == "" {
		return d, errInvalidField("properties.title", "is required")
	}
	if err := within("properties.title", d.Properties.Title, c.MaxTitleLength); err != nil {
		return d, err
	}
	if err := within("properties.description", d.Properties.Description, c.MaxDescriptionLength); err != nil {
		return d, err
	}
	if len(d.Fields) > int(c.MaxFields) {
		return d, errInvalidField("fields", "must be at most %d", c.MaxFields)
	}
	fields := make([]Field, len(d.Fields))
	for n, f := range d.Fields {
		at := "fields[" + strconv.Itoa(n) + "]"
		if f.ID != "" {
			return d, errInvalidField(at+".id", "is given by the server")
		}
		f.ID = s.world.IDs.Hex(16)
		if err := s.completeField(&f, at); err != nil {
			return d, err
		}
		fields[n] = f
	}
	d.Fields = fields
	return d, nil
}

// completeField holds a field against the limits of its type.
func (s *Service) completeField(f *Field, at string) error {
	limits := s.config.Field
	if f.Properties.DisplayName == "" {
		return errInvalidField(at+".properties.displayName", "is required")
	}
	if err := within(at+".properties.displayName", f.Properties.DisplayName, limits.MaxDisplayNameLength); err != nil {
		return err
	}
	set := 0
	for _, is := range []bool{f.Text != nil, f.Integer != nil, f.Date != nil, f.Selection != nil, f.User != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return errInvalidField(at, "must have exactly one of textOptions, integerOptions, dateOptions, "+
			"selectionOptions and userOptions")
	}
	switch {
	case f.Text != nil:
		return checkTextOptions(*f.Text, at+".textOptions", limits)
	case f.Integer != nil:
		return checkInteger(*f.Integer, at+".integerOptions", limits)
	case f.Date != nil && f.Date.Format != "" && f.Date.Format != "LONG_DATE" && f.Date.Format != "SHORT_DATE":
		return errInvalidField(at+".dateOptions.dateFormatType", "must be LONG_DATE or SHORT_DATE")
	case f.User != nil:
		return checkEntries(f.User.List, at+".userOptions", limits.UserMaxEntries)
	case f.Selection != nil:
		return s.completeSelection(f.Selection, at+".selectionOptions")
	}
	return nil
}

func checkTextOptions(o TextOptions, at string, limits FieldConfig) error {
	if o.MinLength < 0 || o.MaxLength < 0 || o.MaxLength > limits.TextMaxLength || o.MinLength > limits.TextMaxLength ||
		o.MaxLength > 0 && o.MinLength > o.MaxLength {
		return errInvalidField(at, "must be lengths of 0 to %d, the smaller one first", limits.TextMaxLength)
	}
	return nil
}

func checkInteger(o IntegerOptions, at string, limits FieldConfig) error {
	low, high := limits.IntegerMin, limits.IntegerMax
	for _, v := range []struct {
		text string
		to   *int64
	}{{o.MinValue, &low}, {o.MaxValue, &high}} {
		if v.text == "" {
			continue
		}
		n, err := strconv.ParseInt(v.text, 10, 64)
		if err != nil || n < limits.IntegerMin || n > limits.IntegerMax {
			return errInvalidField(at, "must be numbers of %d to %d", limits.IntegerMin, limits.IntegerMax)
		}
		*v.to = n
	}
	if low > high {
		return errInvalidField(at, "minValue must not be above maxValue")
	}
	return nil
}

func checkEntries(o *ListOptions, at string, most int32) error {
	if o != nil && (o.MaxEntries < 0 || o.MaxEntries > most) {
		return errInvalidField(at+".listOptions.maxEntries", "must be 0 to %d", most)
	}
	return nil
}

func (s *Service) completeSelection(o *SelectionOptions, at string) error {
	limits := s.config.Field
	if err := checkEntries(o.List, at, limits.SelectionMaxEntries); err != nil {
		return err
	}
	if len(o.Choices) == 0 || len(o.Choices) > int(limits.SelectionMaxChoices) {
		return errInvalidField(at+".choices", "must be 1 to %d", limits.SelectionMaxChoices)
	}
	for n := range o.Choices {
		name := at + ".choices[" + strconv.Itoa(n) + "].properties.displayName"
		if o.Choices[n].Properties.DisplayName == "" {
			return errInvalidField(name, "is required")
		}
		err := within(name, o.Choices[n].Properties.DisplayName, limits.SelectionMaxDisplayNameLength)
		if err != nil {
			return err
		}
		if o.Choices[n].ID != "" {
			return errInvalidField(at+".choices["+strconv.Itoa(n)+"].id", "is given by the server")
		}
		o.Choices[n].ID = s.world.IDs.Hex(16)
	}
	return nil
}

func within(field, text string, most int32) error {
	if utf8.RuneCountInString(text) > int(most) {
		return errInvalidField(field, "must have at most %d characters", most)
	}
	return nil
}
