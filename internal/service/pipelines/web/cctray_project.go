package web

import (
	"encoding/xml"
	"fmt"

	"stoa.dev/stoa/internal/service/pipelines/build"
)

// ccProject is one line of a CCTray feed.
type ccProject struct {
	XMLName  xml.Name `xml:"Project"`
	Name     string   `xml:"name,attr"`
	Activity string   `xml:"activity,attr"`
	Status   string   `xml:"lastBuildStatus,attr"`
	Label    string   `xml:"lastBuildLabel,attr"`
	Time     string   `xml:"lastBuildTime,attr,omitempty"`
	URL      string   `xml:"webUrl,attr"`
}

// newCCProject describes a project by its newest job, if there is one.
func newCCProject(name, url string, b *build.Build) ccProject {
	p := ccProject{Name: name, Activity: "Sleeping", Status: "Unknown", URL: url}
	if b == nil {
		return p
	}
	p.Label = fmt.Sprint(b.Num)
	if !b.StopTime.IsZero() {
		p.Time = b.StopTime.Format(timeFormat)
	}
	if !b.State.Ended() {
		p.Activity = "Building"
	}
	switch statusGroup(b.State.Status) {
	case "good":
		p.Status = "Success"
	case "bad":
		p.Status = "Failure"
	}
	return p
}

// timeFormat is ISO 8601 in UTC with milliseconds.
const timeFormat = "2006-01-02T15:04:05.000Z"
