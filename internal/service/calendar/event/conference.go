package event

import (
	"encoding/json"
	"strings"

	"stoa.dev/stoa/internal/service/calendar/refusal"
)

// Conferences is how requests for a conference are answered.
type Conferences struct {
	// Kind is the one kind of conference there is; Address is where its meetings are, with {id}
	// where a meeting's id stands, empty if there are none.
	Kind, Address string
	// NewID makes the id of a meeting.
	NewID func() string
}

// conference is conferenceData of the contract. What is no request is kept as the client wrote it.
type conference struct {
	CreateRequest *conferenceRequest `json:"createRequest,omitempty"`
	EntryPoints   []entryPoint       `json:"entryPoints,omitempty"`
	Solution      *solution          `json:"conferenceSolution,omitempty"`
	ID            string             `json:"conferenceId,omitempty"`
	Notes         string             `json:"notes,omitempty"`
	Signature     string             `json:"signature,omitempty"`
	Parameters    *addOn             `json:"parameters,omitempty"`
}

type addOn struct {
	AddOnParameters struct {
		Parameters map[string]string `json:"parameters,omitempty"`
	} `json:"addOnParameters"`
}

type conferenceRequest struct {
	RequestID string         `json:"requestId"`
	Key       *solutionKey   `json:"conferenceSolutionKey,omitempty"`
	Status    *requestStatus `json:"status,omitempty"`
}

type requestStatus struct {
	StatusCode string `json:"statusCode"`
}

type solutionKey struct {
	Type string `json:"type"`
}

type solution struct {
	Key     solutionKey `json:"key"`
	Name    string      `json:"name"`
	IconURI string      `json:"iconUri,omitempty"`
}

type entryPoint struct {
	Type  string `json:"entryPointType"`
	URI   string `json:"uri"`
	Label string `json:"label,omitempty"`

	AccessCode  string   `json:"accessCode,omitempty"`
	MeetingCode string   `json:"meetingCode,omitempty"`
	Passcode    string   `json:"passcode,omitempty"`
	Password    string   `json:"password,omitempty"`
	PIN         string   `json:"pin,omitempty"`
	RegionCode  string   `json:"regionCode,omitempty"`
	Features    []string `json:"entryPointFeatures,omitempty"`
}

// Answer answers a request for a conference that a changed document makes. A request with
// the id of the one before is the same request and keeps its answer. What is no request
// stays as the client wrote it.
func (c Conferences) Answer(doc *Event, before json.RawMessage) error {
	var asked, old conference
	if err := CheckKept("conferenceData", &doc.ConferenceData, &asked); err != nil {
		return err
	}
	if asked.CreateRequest == nil {
		return nil
	}
	if asked.CreateRequest.RequestID == "" {
		return refusal.Required("conferenceData.createRequest.requestId")
	}
	if len(before) > 0 {
		if err := json.Unmarshal(before, &old); err == nil && old.CreateRequest != nil &&
			old.CreateRequest.RequestID == asked.CreateRequest.RequestID {
			doc.ConferenceData = before
			return nil
		}
	}
	doc.ConferenceData = c.create(*asked.CreateRequest)
	return nil
}

// create is the conference that was asked for, or the failure to make it.
func (c Conferences) create(r conferenceRequest) json.RawMessage {
	if r.Key == nil {
		r.Key = &solutionKey{Type: c.Kind}
	}
	if c.Address == "" || r.Key.Type != c.Kind {
		r.Status = &requestStatus{"failure"}
		return encode(conference{CreateRequest: &r})
	}
	r.Status = &requestStatus{"success"}
	id := c.NewID()
	uri := strings.ReplaceAll(c.Address, "{id}", id)
	_, label, _ := strings.Cut(uri, "://")
	return encode(conference{
		CreateRequest: &r, ID: id, EntryPoints: []entryPoint{{Type: "video", URI: uri, Label: label}},
		Solution: &solution{Key: *r.Key, Name: "Video conference"},
	})
}
