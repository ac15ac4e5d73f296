package smallbuild

import "fmt"

// The parts that the small build is without, as messages name them.
const (
	MetricsEngine = "metrics engine"
	LocalModels   = "engine for local models"
	CloudKeys     = "key services of clouds"
	Attestations  = "check of attestations"
	Traces        = "export of traces"
	PostgreSQL    = "PostgreSQL"
	Buckets       = "store in an S3 bucket"
	Highlighting  = "colours in code"
	LicenseTexts  = "recognition of license texts"
)

// Missing lists what this build is without: nothing, or everything above.
func Missing() []string {
	if !Enabled {
		return nil
	}
	return []string{
		MetricsEngine, LocalModels, PostgreSQL, Buckets, CloudKeys, Attestations, Traces, Highlighting, LicenseTexts,
	}
}

// Error means that a part of the program is not in this build.
type Error struct{ Part string }

func (e *Error) Error() string {
	return "this is the small build, which has no " + e.Part + "; use the full one"
}

// Reason is the machine word for the log.
func (e *Error) Reason() string { return "small_build" }

// Lacks is an Error in the small build and nil in the full one.
func Lacks(part string) error {
	if !Enabled {
		return nil
	}
	return &Error{part}
}

// Refuse is the refusal of a setting that needs a part, in the small build.
func Refuse(setting string, set bool, part string) error {
	if !Enabled || !set {
		return nil
	}
	return fmt.Errorf("%s: %w", setting, &Error{part})
}
