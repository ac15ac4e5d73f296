// Package recurrence expands the recurrence lines of RFC 5545 (RRULE, EXRULE, RDATE, EXDATE) into instants.
//
// The library behind it counts in the wall time it is given. It is fed wall times without a zone, and each result is
// placed in the zone of the series afterwards: the library's own handling of clock changes repeats an hour. A wall
// time that a clock change skips is read with the offset before the change, one that happens twice is its first.
// What coincides after that is one instance.
//
// Work is bounded: rules by the second and by the minute are refused, a series starts in 1900 or later and is looked at
// for 100 years, by the hour for 5, and every expansion names its end.
package recurrence
