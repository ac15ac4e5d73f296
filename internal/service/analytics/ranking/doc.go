// Package ranking says which places a search for a keyword at a point on the map
// shows, and in which order.
//
// It owns the formula, the words that count, the squares that places are looked
// up by and the search. It does not own where places come from, nor what is done
// with a ranking: it takes places and returns numbers, and touches no store.
//
// A place ranks at a point when it lies within [Radius] of it and its relevance
// reaches a quarter. Its score, in millionths, is
//
//	500000 × relevance + 350000 × nearness + 150000 × prominence
//
//	relevance   the mean over the keyword's words of the best field that has the
//	            word: name 1, category 0.9, address 0.3, none 0
//	nearness    1 / (1 + distance / 2 km)
//	prominence  w × (0.5 + rating / 10), w = min(1, bits(reviews) / 16), where bits
//	            is how many binary digits the number of reviews has
//
// Equal scores are ordered by id. Nothing depends on the order in which places
// arrive, on time or on chance: the same places give the same ranking always.
package ranking
