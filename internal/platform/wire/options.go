package wire

// Option changes how one body is read.
type Option func(*settings)

// settings are the options of one read. The zero value is the strict default.
type settings struct {
	disallowUnknown bool
	allowEmpty      bool
	maxBytes        int64
	gzipMax         int64
	mediaTypes      []string
	allowNUL        bool
}

// DisallowUnknown refuses members that the destination does not have, for
// contracts that forbid them.
func DisallowUnknown() Option { return func(s *settings) { s.disallowUnknown = true } }

// AllowEmpty leaves the destination as it is when the body is empty, instead of
// answering ErrEmptyBody.
func AllowEmpty() Option { return func(s *settings) { s.allowEmpty = true } }

// MaxBytes lowers the limit that the route has already set on the body.
func MaxBytes(n int64) Option { return func(s *settings) { s.maxBytes = n } }

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

func collect(opts []Option) settings {
	var s settings
	for _, o := range opts {
		o(&s)
	}
	return s
}
