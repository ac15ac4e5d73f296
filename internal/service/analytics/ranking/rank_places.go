package ranking

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"slices"
)

// candidate is a place that has to do with a keyword.
type candidate struct {
	place int
	// fixed is the part of the score that is the same at every point.
	fixed int64
	x, y  float64 // km east and north of the centre
}

// scored is a candidate at a point.
type scored struct {
	place int
	score int64
}

// Rank answers the query from the given places.
func Rank(ctx context.Context, places []Place, q Query) (Result, error) {
	places = slices.Clone(places)
	slices.SortFunc(places, func(a, b Place) int { return cmp.Compare(a.ID, b.ID) })
	out := Result{Ranks: make([][][]int, len(q.Keywords))}
	flat := newPlane(q.Points)
	byKeyword := findCandidates(places, q.Keywords, flat)
	for k, candidates := range byKeyword {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		s := newSearch(candidates, flat, q.Depth)
		out.Ranks[k] = make([][]int, len(q.Points))
		for i, at := range flat.points {
			out.Ranks[k][i] = s.at(at)
		}
	}
	return compact(out, places), nil
}

// findCandidates finds for each keyword the places that have to do with it.
func findCandidates(places []Place, keywords []string, flat *plane) [][]candidate {
	v := newVocabulary(keywords)
	weights := make([]int, len(v.numbers))
	out := make([][]candidate, len(keywords))
	for i := range places {
		x, y := flat.project(places[i].At())
		if !flat.contains(x, y) {
			continue
		}
		v.weigh(&places[i], weights)
		for k := range keywords {
			if relevance := v.relevance(k, weights); relevance > 0 {
				out[k] = append(out[k], candidate{
					place: i, fixed: (relevance*50 + prominence(&places[i])*15) / 100, x: x, y: y,
				})
			}
		}
	}
	return out
}

// prominence is 0 to 1000000.
func prominence(p *Place) int64 {
	weight := int64(min(bits.Len64(uint64(max(p.Reviews, 0))), 16))
	rating := int64(math.Round(min(max(p.Rating, 0), 5) * 10)) // tenths
	return weight * (500_000 + rating*10_000) / 16
}

// nearness is 0 to 350000, for a distance in km.
func nearness(distance float64) int64 { return int64(math.Round(350_000 / (1 + distance/2))) }

// search finds the best candidates at a point. It walks square rings of cells
// outwards and stops when nothing farther out can still get in.
type search struct {
	flat       *plane
	starts     []int32
	candidates []candidate // sorted by cell
	best       int64       // the highest fixed score there is
	depth      int
	top        []scored
}

func newSearch(candidates []candidate, flat *plane, depth int) *search {
	s := &search{
		flat: flat, depth: depth, starts: make([]int32, flat.side*flat.side+1),
		candidates: make([]candidate, len(candidates)),
	}
	for _, c := range candidates {
		s.starts[flat.cell(c.x, c.y)+1]++
		s.best = max(s.best, c.fixed)
	}
	for i := 1; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	next := slices.Clone(s.starts)
	for _, c := range candidates {
		cell := flat.cell(c.x, c.y)
		s.candidates[next[cell]] = c
		next[cell]++
	}
	return s
}

func (s *search) at(p point) []int {
	s.top = s.top[:0]
	cx, cy := s.flat.cellIndex(p.x), s.flat.cellIndex(p.y)
	for ring := 0; ring <= int(Radius/cellSide)+1; ring++ {
		if len(s.top) == s.depth && s.best+nearness(float64(max(ring-1, 0))*cellSide) < s.top[s.depth-1].score {
			break
		}
		for y := max(cy-ring, 0); y <= min(cy+ring, s.flat.side-1); y++ {
			step := 2 * ring
			if y == cy-ring || y == cy+ring || ring == 0 {
				step = 1
			}
			for x := cx - ring; x <= cx+ring; x += step {
				if x >= 0 && x < s.flat.side {
					s.visit(y*s.flat.side+x, p)
				}
			}
		}
	}
	out := make([]int, len(s.top))
	for i, t := range s.top {
		out[i] = t.place
	}
	return out
}

func (s *search) visit(cell int, p point) {
	for _, c := range s.candidates[s.starts[cell]:s.starts[cell+1]] {
		dx, dy := c.x-p.x, c.y-p.y
		distance := math.Sqrt(float64(dx*dx) + float64(dy*dy))
		if distance <= Radius {
			s.insert(scored{c.place, c.fixed + nearness(distance)})
		}
	}
}

// insert keeps the list sorted: higher scores first, then lower places, which are
// those with the lower id.
func (s *search) insert(c scored) {
	if len(s.top) == s.depth && !better(c, s.top[s.depth-1]) {
		return
	}
	at, _ := slices.BinarySearchFunc(s.top, c, func(a, b scored) int {
		if better(a, b) {
			return -1
		}
		return 1
	})
	if len(s.top) == s.depth {
		s.top = s.top[:s.depth-1]
	}
	s.top = slices.Insert(s.top, at, c)
}

func better(a, b scored) bool {
	return a.score > b.score || a.score == b.score && a.place < b.place
}

// compact keeps only the places that rank somewhere, in the order of their ids.
func compact(r Result, places []Place) Result {
	used := make([]bool, len(places))
	for _, points := range r.Ranks {
		for _, list := range points {
			for _, place := range list {
				used[place] = true
			}
		}
	}
	number := make([]int, len(places))
	for i, u := range used {
		if u {
			number[i] = len(r.Places)
			r.Places = append(r.Places, places[i])
		}
	}
	for _, points := range r.Ranks {
		for _, list := range points {
			for i, place := range list {
				list[i] = number[place]
			}
		}
	}
	return r
}
