package tasks

import (
	"net/url"
	"strconv"
	"time"
)

// The page sizes of the public service that the contract describes.
const (
	maxListPage     = 1000
	defaultTaskPage = 20
	maxTaskPage     = 100
)

// readSize reads maxResults; more than the limit is lowered to it.
func readSize(query url.Values, def, limit int) (int, error) {
	text := query.Get("maxResults")
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, errInvalidField("maxResults", "must be a whole number")
	}
	if n == 0 {
		return def, nil
	}
	return min(n, limit), nil
}

func readPlace(query url.Values) Place {
	return Place{
		Parent: query.Get("parent"), Previous: query.Get("previous"), Destination: query.Get("destinationTasklist"),
	}
}

func readFilter(query url.Values) (f Filter, err error) {
	for _, b := range []struct {
		name string
		def  bool
		to   *bool
	}{
		{"showCompleted", true, &f.ShowCompleted},
		{"showHidden", false, &f.ShowHidden},
		{"showDeleted", false, &f.ShowDeleted},
	} {
		if *b.to, err = readBool(query, b.name, b.def); err != nil {
			return f, err
		}
	}
	for _, t := range []struct {
		name string
		to   *time.Time
	}{
		{"completedMin", &f.CompletedMin}, {"completedMax", &f.CompletedMax}, {"updatedMin", &f.UpdatedMin},
	} {
		if text := query.Get(t.name); text != "" {
			if *t.to, err = parseTime(t.name, text); err != nil {
				return f, err
			}
		}
	}
	return f, readDays(query, &f)
}

// readDays reads the bounds of due, which are days.
func readDays(query url.Values, f *Filter) (err error) {
	if text := query.Get("dueMin"); text != "" {
		if f.DueMin, err = parseDay("dueMin", text); err != nil {
			return err
		}
	}
	if text := query.Get("dueMax"); text != "" {
		if f.DueMax, err = parseDay("dueMax", text); err != nil {
			return err
		}
	}
	return nil
}

func readBool(query url.Values, name string, def bool) (bool, error) {
	text := query.Get(name)
	if text == "" {
		return def, nil
	}
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, errInvalidField(name, "must be true or false")
	}
	return b, nil
}
