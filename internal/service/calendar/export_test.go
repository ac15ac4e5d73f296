package calendar

// UserLookups is how often a user was looked for.
func (s *Service) UserLookups() int64 {
	stats := s.users.Stats()
	return int64(stats.Hits + stats.Misses)
}
