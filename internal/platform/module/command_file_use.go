package module

// FileUse is what a command does with a file that an argument names.
type FileUse int

// The uses of files. NewFile and NewFolder must not exist yet; ReplacesFile may.
const (
	NoFile FileUse = iota
	ReadsFile
	ReadsFolder
	NewFile
	ReplacesFile
	NewFolder
)

// Reads reports whether the file is read.
func (u FileUse) Reads() bool { return u == ReadsFile || u == ReadsFolder }

// Writes reports whether the file is written.
func (u FileUse) Writes() bool { return u == NewFile || u == ReplacesFile || u == NewFolder }
