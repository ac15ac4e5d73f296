package catalog

// RelationType says what a project is to a version.
type RelationType string

// The relation types.
const (
	SourceRepo   RelationType = "SOURCE_REPO"
	IssueTracker RelationType = "ISSUE_TRACKER"
)

// Relation joins a version to a project, named host/user/repo.
type Relation struct {
	Project    string       `json:"project"`
	Provenance Provenance   `json:"provenance"`
	Type       RelationType `json:"type"`
}

// known reports whether the relation is made of the contract's words.
func (r Relation) known() bool {
	switch r.Provenance {
	case FromSLSA, FromGoOrigin, FromPublish, FromMetadata:
		return r.Type == SourceRepo || r.Type == IssueTracker
	}
	return false
}
