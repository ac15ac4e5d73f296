package contents

import "strings"

// Ref is a branch or tag and the object it names.
type Ref struct {
	// Name is in full: refs/heads/main.
	Name string
	SHA  string
}

// Heads and Tags are what the names of branches and tags begin with.
const (
	Heads = "refs/heads/"
	Tags  = "refs/tags/"
)

// RefType is branch or tag.
func RefType(ref string) string {
	if strings.HasPrefix(ref, Tags) {
		return "tag"
	}
	return "branch"
}

// ShortRef is the name without refs/heads/ or refs/tags/.
func ShortRef(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, Heads), Tags)
}
