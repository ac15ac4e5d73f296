package labels

import (
	"strconv"
	"time"
)

// labelRequest is a label as it is sent; a revision says which members are read.
type labelRequest struct {
	Type       string     `json:"labelType"`
	Properties Properties `json:"properties"`
	Fields     []Field    `json:"fields"`
}

// actionRequest is the body of publish, disable and enable.
type actionRequest struct {
	UseAdminAccess bool `json:"useAdminAccess"`
}

type labelJSON struct {
	Name            string             `json:"name"`
	ID              string             `json:"id"`
	RevisionID      string             `json:"revisionId"`
	LabelType       Type               `json:"labelType"`
	Creator         userInfoJSON       `json:"creator"`
	CreateTime      string             `json:"createTime"`
	RevisionCreator userInfoJSON       `json:"revisionCreator"`
	RevisionTime    string             `json:"revisionCreateTime"`
	Publisher       *userInfoJSON      `json:"publisher,omitempty"`
	PublishTime     string             `json:"publishTime,omitempty"`
	Properties      Properties         `json:"properties"`
	Lifecycle       lifecycleJSON      `json:"lifecycle"`
	Fields          []fieldJSON        `json:"fields,omitempty"`
	Schema          schemaCapabilities `json:"schemaCapabilities"`
}

type lifecycleJSON struct {
	State State `json:"state"`
}

type fieldJSON struct {
	Field
	QueryKey  string        `json:"queryKey"`
	Lifecycle lifecycleJSON `json:"lifecycle"`
}

type schemaCapabilities struct {
	CanUpdate  bool `json:"canUpdate"`
	CanDelete  bool `json:"canDelete"`
	CanDisable bool `json:"canDisable"`
	CanEnable  bool `json:"canEnable"`
}

type labelsJSON struct {
	Labels        []labelJSON `json:"labels"`
	NextPageToken string      `json:"nextPageToken,omitempty"`
}

// capabilitiesJSON is what a user may do with labels at all.
type capabilitiesJSON struct {
	CanAccessLabelManager bool `json:"canAccessLabelManager"`
	CanAdministrateLabels bool `json:"canAdministrateLabels"`
	CanCreateSharedLabels bool `json:"canCreateSharedLabels"`
	CanCreateAdminLabels  bool `json:"canCreateAdminLabels"`
}

const (
	timeForm = "2006-01-02T15:04:05.000Z"
	// revision is the only one a label has: what it says does not change.
	revision = "1"
)

// userInfoJSON names a user of this server.
type userInfoJSON struct {
	User string `json:"person"`
}

func userInfo(id int64) userInfoJSON { return userInfoJSON{"users/" + strconv.FormatInt(id, 10)} }

func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timeForm)
}

func labelToWire(v Viewer, l Label) labelJSON {
	edits := v.mayEdit(l)
	out := labelJSON{
		Name: "labels/" + l.ID + "@" + revision, ID: l.ID, RevisionID: revision, LabelType: l.Type,
		Creator: userInfo(l.OwnerID), CreateTime: timeText(l.CreatedAt), RevisionCreator: userInfo(l.OwnerID),
		RevisionTime: timeText(l.CreatedAt), PublishTime: timeText(l.PublishedAt), Properties: l.Definition.Properties,
		Lifecycle: lifecycleJSON{l.State},
		Schema: schemaCapabilities{
			CanDelete: edits && l.State != Published, CanDisable: edits && l.State == Published,
			CanEnable: edits && l.State == Disabled,
		},
	}
	if l.PublishedBy != 0 {
		publisher := userInfo(l.PublishedBy)
		out.Publisher = &publisher
	}
	for _, f := range l.Definition.Fields {
		out.Fields = append(out.Fields, fieldJSON{f, "labels/" + l.ID + "." + f.ID, lifecycleJSON{l.State}})
	}
	return out
}
