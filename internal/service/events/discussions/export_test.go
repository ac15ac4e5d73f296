package discussions

// Locate is locate.
func Locate(patch string, line int64, left bool) (int64, string) { return locate(patch, line, left) }
