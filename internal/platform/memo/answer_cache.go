package memo

// Answer is an encoded body with its entity tag. Both are shared and must not
// be changed.
type Answer struct {
	Tag  string
	Body []byte
}

// NewAnswers makes a cache of answers of at most limit bytes. The key names
// all that an answer depends on: who asks, the revision, the request.
func NewAnswers(limit int) *Cache[string, Answer] {
	return New(limit, func(key string, a Answer) int { return len(key) + len(a.Tag) + len(a.Body) })
}
