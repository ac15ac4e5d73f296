package journal

import "hash/maphash"

// answerIndex knows which records have the newest answers. Clients ask again and again
// for what has not changed: the same body is kept once. It names records by number, so
// that it keeps none that is gone.
type answerIndex struct {
	seed    maphash.Seed
	numbers [64]uint64 // by place
}

// smallAnswer is cheaper to copy than to look for.
const smallAnswer = 512

// place is where an answer's record is, if it has one.
func (x *answerIndex) place(answer []byte) int {
	if len(answer) < smallAnswer {
		return 0
	}
	return int(maphash.Bytes(x.seed, answer) % uint64(len(x.numbers)))
}

// keepAnswer is the body of an answer for the record of that number; the caller holds
// mu.
func (j *Journal) keepAnswer(number uint64, place int, answer []byte) string {
	if len(answer) < smallAnswer {
		return j.texts.keep(answer)
	}
	same := j.answers.numbers[place]
	j.answers.numbers[place] = number
	if same >= j.oldest && same < number {
		c := j.chunks[(same-j.chunks[0].first)/chunkSize]
		if before := &c.records[same-c.first]; before.answer == string(answer) {
			return before.answer
		}
	}
	return j.texts.keep(answer)
}
