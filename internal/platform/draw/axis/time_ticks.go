package axis

import "time"

// Moment is one tick of a time axis. Major ticks begin a day, month or year
// and carry its name.
type Moment struct {
	At    time.Time
	Label string
	Major bool
}

// clockSteps divide a day evenly, so ticks fall on the same times every day.
func clockSteps() []time.Duration {
	const s, m, h = time.Second, time.Minute, time.Hour
	return []time.Duration{
		s, 2 * s, 5 * s, 10 * s, 15 * s, 30 * s,
		m, 2 * m, 5 * m, 10 * m, 15 * m, 30 * m,
		h, 2 * h, 3 * h, 4 * h, 6 * h, 12 * h,
	}
}

const day = 24 * time.Hour

// Times returns at most n round moments between from and to, in their zone loc.
func Times(from, to time.Time, loc *time.Location, n int) []Moment {
	n = max(n, 1)
	span := to.Sub(from)
	if span <= 0 {
		return nil
	}
	for _, step := range clockSteps() {
		if span/step <= time.Duration(n) {
			return clockTicks(from.In(loc), to, step)
		}
	}
	for _, days := range []int{1, 2, 7, 14} {
		if span/(day*time.Duration(days)) <= time.Duration(n) {
			return dayTicks(from.In(loc), to, days)
		}
	}
	for _, months := range []int{1, 2, 3, 6} {
		if span/(30*day*time.Duration(months)) <= time.Duration(n) {
			return monthTicks(from.In(loc), to, months)
		}
	}
	years := 1
	for _, y := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		years = y
		if span/(365*day*time.Duration(y)) <= time.Duration(n) {
			break
		}
	}
	return monthTicks(from.In(loc), to, 12*years)
}

// clockTicks walks wall-clock time day by day, so that a change of the clock
// (daylight saving) neither shifts nor doubles labels.
func clockTicks(from, to time.Time, step time.Duration) []Moment {
	var out []Moment
	layout := "15:04"
	if step < time.Minute {
		layout = "15:04:05"
	}
	y, m, d := from.Date()
	start := from.Hour()*3600 + from.Minute()*60 + from.Second()
	size := int(step / time.Second)
	for s := start / size * size; len(out) < 1000; s += size {
		at := time.Date(y, m, d, 0, 0, s, 0, from.Location())
		if at.After(to) {
			return out
		}
		if at.Before(from) || len(out) > 0 && !at.After(out[len(out)-1].At) {
			continue
		}
		mo := Moment{At: at, Label: at.Format(layout)}
		if at.Hour() == 0 && at.Minute() == 0 && at.Second() == 0 {
			mo = Moment{At: at, Label: at.Format("Mon 2"), Major: true}
		}
		out = append(out, mo)
	}
	return out
}

// dayTicks walks days; weeks begin on Monday, fortnights count from a fixed one.
func dayTicks(from, to time.Time, days int) []Moment {
	var out []Moment
	y, m, d := from.Date()
	for i := 0; len(out) < 1000; i++ {
		at := time.Date(y, m, d+i, 0, 0, 0, 0, from.Location())
		if at.After(to) {
			return out
		}
		// Days since a Monday, in calendar arithmetic.
		n := int(time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC).Unix()/86400) + 3
		if at.Before(from) || n%days != 0 {
			continue
		}
		out = append(out, Moment{At: at, Label: at.Format("Jan 2"), Major: at.Day() == 1})
	}
	return out
}

func monthTicks(from, to time.Time, months int) []Moment {
	var out []Moment
	first := from.Year()*12 + int(from.Month()) - 1
	for i := first / months * months; len(out) < 1000; i += months {
		at := time.Date(i/12, time.Month(i%12+1), 1, 0, 0, 0, 0, from.Location())
		if at.After(to) {
			return out
		}
		if at.Before(from) {
			continue
		}
		mo := Moment{At: at, Label: at.Format("Jan"), Major: at.Month() == time.January}
		if mo.Major {
			mo.Label = at.Format("2006")
		}
		out = append(out, mo)
	}
	return out
}
