package limit

import "time"

// ban is the part of a key's state that punishes hammering.
type ban struct {
	until   int64 // blocked before this moment
	keep    int64 // level is remembered before this moment
	strikes int32 // refusals since the last admission, ban or new window
	level   int32 // how many bans in a row
}

// active reports whether the key is blocked. A clock that jumped back must not
// lengthen a ban: it never ends later than one whole ban from now.
func (b *ban) active(p *Penalty, now int64) bool {
	if b.level == 0 || p.After <= 0 {
		return false
	}
	if now >= b.keep {
		*b = ban{strikes: b.strikes}
		return false
	}
	length := p.length(b.level)
	b.until = min(b.until, now+length)
	b.keep = min(b.keep, now+2*length)
	return now < b.until
}

// strike notes a refusal and starts a ban when it was one too many.
func (b *ban) strike(p *Penalty, now int64) (banned bool) {
	if p.After <= 0 {
		return false
	}
	b.strikes++
	if int64(b.strikes) < p.After {
		return false
	}
	b.strikes = 0
	b.level++
	length := p.length(b.level)
	b.until = now + length
	// The level outlives the ban by the ban's own length: a caller that behaves for
	// as long as it was blocked starts again at the bottom.
	b.keep = b.until + length
	return true
}

// length of the ban of a level: Base, 2 Base, 4 Base … up to Max.
func (p *Penalty) length(level int32) int64 {
	longest := p.Max
	if longest <= 0 {
		longest = 64 * p.Base
	}
	d := p.Base
	for ; level > 1 && d < longest; level-- {
		d *= 2
	}
	return int64(max(min(d, longest), time.Nanosecond))
}
