// Package recurrence expands the recurrence lines of RFC 5545 (RRULE, EXRULE, RDATE, EXDATE) into instants.
//
// The library behind it counts in the wall time it is given. It is fed wall times without a zone, and each result is
// placed in the zone of the series afterwards: the library's own handling of clock changes repeats an hour. A wall
// time that a clock change skips is read with the offset before the change, one that happens twice is its first, but
// for the start, which is the instant it is. Dates that are added or left out are instants too. What coincides is one
// instance.
//
// Work is counted and bounded. A rule without COUNT is walked from near the window (fast_forward_rule_start.go), one
// with COUNT from its start; every hour, day or week that a rule looks at is a step, as is every instance, a month is
// two and a year 24. The caller gives a budget of steps for all the series of a request. A series has 5 rules at
// most, of which one EXRULE.
//
// What a rule may say is bounded (parse_recurrence_lines.go): rules by the second and by the minute, with more than 24
// instances a day, that never happen, or that count more than 10,000 are refused. A series starts in 1900 or later and
// is looked at for 100 years, with several instances a day for as many times fewer, 5 at least; every expansion names
// its end.
package recurrence
