package analytics

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// keywordRanks is which places rank for one keyword: Ranks[p] are the places at the p-th
// enabled point, best first.
type keywordRanks struct {
	Places []ranking.Place
	Ranks  [][]int
}

// datedRanking is a ranking of a finished report.
type datedRanking struct {
	Date time.Time
	keywordRanks
}

// encodeNames writes the ids and customer numbers, one place to a line. Neither
// contains a control character.
func (d keywordRanks) encodeNames() string {
	var b strings.Builder
	for _, p := range d.Places {
		b.WriteString(p.ID + "\t" + p.CID + "\n")
	}
	return b.String()
}

func decodeNames(names string) []ranking.Place {
	places := make([]ranking.Place, 0, strings.Count(names, "\n"))
	for line := range strings.Lines(names) {
		id, cid, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		places = append(places, ranking.Place{ID: id, CID: cid})
	}
	return places
}

// encodeRanks writes for each point how many places there are, then their numbers.
// Both fit: there are at most 225 points of 20 places.
func encodeRanks(ranks [][]int) []byte {
	var out []byte
	for _, list := range ranks {
		out = append(out, byte(len(list)))
		for _, place := range list {
			out = binary.BigEndian.AppendUint16(out, uint16(place))
		}
	}
	return out
}

var errRanks = errors.New("the ranks are cut off or name a place that is not there")

func decodeRanks(packed []byte, places int) ([][]int, error) {
	var ranks [][]int
	for len(packed) > 0 {
		n := int(packed[0])
		if packed = packed[1:]; len(packed) < 2*n {
			return nil, errRanks
		}
		list := make([]int, n)
		for i := range list {
			if list[i] = int(binary.BigEndian.Uint16(packed[2*i:])); list[i] >= places {
				return nil, errRanks
			}
		}
		ranks = append(ranks, list)
		packed = packed[2*n:]
	}
	return ranks, nil
}
