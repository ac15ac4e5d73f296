package ranking

import (
	"strings"
	"unicode"
)

// eachWord calls each for every word of the text: letters and digits, in lower case,
// without the s of a plural.
func eachWord(text string, each func(word string)) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
			word = word[:len(word)-1]
		}
		each(word)
	}
}

// stopword reports whether a word says nothing about what is searched for.
func stopword(word string) bool {
	switch word {
	case "a", "an", "the", "in", "at", "of", "for", "near", "me", "best", "top", "and", "or":
		return true
	}
	return false
}

// vocabulary is the words that the keywords of one query have.
type vocabulary struct {
	numbers  map[string]int
	keywords [][]int
}

func newVocabulary(keywords []string) *vocabulary {
	v := &vocabulary{numbers: map[string]int{}, keywords: make([][]int, len(keywords))}
	for k, keyword := range keywords {
		var all, useful []int
		eachWord(keyword, func(word string) {
			n, ok := v.numbers[word]
			if !ok {
				n = len(v.numbers)
				v.numbers[word] = n
			}
			all = append(all, n)
			if !stopword(word) {
				useful = append(useful, n)
			}
		})
		if v.keywords[k] = useful; len(useful) == 0 {
			v.keywords[k] = all // a keyword of idle words is searched as it is
		}
	}
	return v
}

// The weights of the fields, in hundredths.
const (
	inName, inCategory, inAddress = 100, 90, 30
	minRelevance                  = 25
)

// weigh notes in weights the best field of the place for each word.
func (v *vocabulary) weigh(p *Place, weights []int) {
	clear(weights)
	note := func(weight int) func(string) {
		return func(word string) {
			if n, ok := v.numbers[word]; ok && weights[n] < weight {
				weights[n] = weight
			}
		}
	}
	eachWord(p.Name, note(inName))
	for _, category := range p.Categories {
		eachWord(category, note(inCategory))
	}
	eachWord(p.Address, note(inAddress))
}

// relevance is 0 to 1000000, or zero when the place does not rank at all.
func (v *vocabulary) relevance(keyword int, weights []int) int64 {
	list := v.keywords[keyword]
	if len(list) == 0 {
		return 0
	}
	sum := 0
	for _, n := range list {
		sum += weights[n]
	}
	if sum < minRelevance*len(list) {
		return 0
	}
	return int64(sum) * 10_000 / int64(len(list))
}
