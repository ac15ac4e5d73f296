package budget

import "time"

const (
	// maxRequests is how many requests are worked on at once in all: far more
	// than the processors can, so that none of them idles.
	maxRequests = 1024
	// ownerRequests is how many of them belong to one owner. The scheduler gives
	// every request the same share of the processors; an owner with a thousand
	// would leave the others a thousandth.
	ownerRequests = 128
	// anonymousRequests is how many come without a credential.
	anonymousRequests = 256
	requestWait       = 10 * time.Second
)

// RequestOptions size the pool of requests in progress.
func RequestOptions() Options {
	return Options{Name: "requests in progress", Total: maxRequests, PerOwner: ownerRequests, Anonymous: anonymousRequests,
		Wait: requestWait}
}
