package labels

import (
	"fmt"
	"time"
)

// LimitsName is the only resource name there is.
const LimitsName = "limits/label"

// Date is a calendar day. In the configuration it is written 2006-01-02.
type Date struct {
	Year, Month, Day int
}

// UnmarshalText reads the configuration's form.
func (d *Date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a day such as 2006-01-02", text)
	}
	*d = Date{Year: t.Year(), Month: int(t.Month()), Day: t.Day()}
	return nil
}

// MarshalText writes the configuration's form.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String is the configuration's form.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day) }

func (d Date) before(other Date) bool {
	return d.Year*10_000+d.Month*100+d.Day < other.Year*10_000+other.Month*100+other.Day
}
