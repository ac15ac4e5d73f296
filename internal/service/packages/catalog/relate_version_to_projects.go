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

// Relate derives the related projects from the version's attestations and
// links: one entry for each project and type, with the best provenance.
func Relate(v *Version) []Relation {
	var list []Relation
	add := func(link string, from Provenance, kind RelationType) {
		project, ok := ProjectOf(link)
		if !ok {
			return
		}
		for _, have := range list {
			if have.Project == project && have.Type == kind {
				return
			}
		}
		list = append(list, Relation{Project: project, Provenance: from, Type: kind})
	}
	for _, a := range v.Attested {
		if a.Repository == "" || !a.Verified {
			continue
		}
		from := FromSLSA
		if IsPublish(a.Type) {
			from = FromPublish
		}
		add(a.Repository, from, SourceRepo)
	}
	for _, r := range v.Related {
		if r.Provenance == FromGoOrigin {
			add(r.Project, r.Provenance, r.Type)
		}
	}
	for _, l := range v.Links {
		switch l.Label {
		case LabelSource:
			add(l.URL, FromMetadata, SourceRepo)
		case LabelIssues:
			add(l.URL, FromMetadata, IssueTracker)
		}
	}
	return list
}
