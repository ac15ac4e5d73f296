package generate

import "time"

// LimitWhole sets how long an answer that degrades and is not streamed may take.
func (s *Service) LimitWhole(d time.Duration) { s.wholeTime = d }
