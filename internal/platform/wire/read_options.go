package wire

// Option changes how one body is read.
type Option func(*settings)

// settings are the options of one read. The zero value is the strict default.
type settings struct {
	disallowUnknown bool
	allowEmpty      bool
	gzipMax         int64
	mediaTypes      []string
	allowNUL        bool
	maxValues       int
	weigher         Weigher
}

// DisallowUnknown refuses members that the destination does not have, for
// contracts that forbid them.
func DisallowUnknown() Option { return func(s *settings) { s.disallowUnknown = true } }

// AllowEmpty leaves the destination as it is when the body is empty, instead of
// answering ErrEmptyBody.
func AllowEmpty() Option { return func(s *settings) { s.allowEmpty = true } }

// AllowGzip accepts a body with Content-Encoding gzip that unpacks to at most
// max bytes. Without it any encoding but identity is ErrMediaType.
func AllowGzip(max int64) Option { return func(s *settings) { s.gzipMax = max } }

// RequireMediaType refuses bodies whose Content-Type is none of types with
// ErrMediaType. "application/json" also stands for any "+json" type.
func RequireMediaType(types ...string) Option {
	return func(s *settings) { s.mediaTypes = types }
}

// AllowNUL accepts the NUL character in strings. By default it is refused,
// because not every database can store it.
func AllowNUL() Option { return func(s *settings) { s.allowNUL = true } }

// MaxValues changes how many values (members, elements, and the objects and
// arrays that hold them) a JSON text may have. Without it 100,000 are accepted.
func MaxValues(n int) Option { return func(s *settings) { s.maxValues = n } }

// Weighed has DecodeJSON take memory for what it decodes; ReadJSON finds the
// request's own.
func Weighed(by Weigher) Option { return func(s *settings) { s.weigher = by } }

// Weigher grants memory before it is used. A body that knows its budget is one.
type Weigher interface {
	// Weigh takes n bytes or says why there are none.
	Weigh(n int64) error
}

const (
	// maxValues bounds what a short text can grow into: an empty object takes
	// three bytes of a list and hundreds in memory.
	maxValues = 100_000
	// fewValues are decoded without being weighed.
	fewValues = 1_000
	// valueWeight is how many bytes of memory one value stands for.
	valueWeight = 256
	// unpackedWeight is how many bytes of memory a byte of an unpacked body
	// stands for: the buffer, and the one it grew out of.
	unpackedWeight = 2
)

func collect(opts []Option) settings {
	s := settings{maxValues: maxValues}
	for _, o := range opts {
		o(&s)
	}
	return s
}
