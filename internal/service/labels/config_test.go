package labels_test

import (
	"strings"
	"testing"

	"stoa.dev/stoa/internal/service/labels"
)

func TestConfigReportsEverythingAtOnce(t *testing.T) {
	t.Parallel()
	if err := labels.DefaultConfig().Validate(); err != nil {
		t.Fatalf("the defaults are refused: %v", err)
	}
	c := labels.DefaultConfig()
	c.MaxFields = 0
	c.Field.IntegerMin, c.Field.IntegerMax = 2, 1
	c.Field.DateMin = labels.Date{Year: 2001, Month: 1, Day: 1}
	c.Field.DateMax = labels.Date{Year: 2000, Month: 12, Day: 31}
	err := c.Validate()
	for _, want := range []string{"labels.max_fields", "integer_min is above", "date_max is before"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want it to name %q", err, want)
		}
	}
}

func TestDateText(t *testing.T) {
	t.Parallel()
	var d labels.Date
	if err := d.UnmarshalText([]byte("2024-02-29")); err != nil {
		t.Fatal(err)
	}
	if text, _ := d.MarshalText(); string(text) != "2024-02-29" {
		t.Errorf("text = %s, want 2024-02-29", text)
	}
	if err := d.UnmarshalText([]byte("2023-02-29")); err == nil {
		t.Error("a day that does not exist was accepted")
	}
}
