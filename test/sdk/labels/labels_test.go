package labels_test

import (
	"errors"
	"net/http"
	"testing"

	"golang.org/x/oauth2"
	api "google.golang.org/api/drivelabels/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"stoa.dev/stoa/test/sdk/world"
)

func client(t *testing.T, env map[string]string, token string) *api.Service {
	t.Helper()
	source := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: token})
	s, err := api.NewService(t.Context(), option.WithEndpoint(env["STOA_URL"]), option.WithTokenSource(source))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLabels takes a label through its life.
func TestLabels(t *testing.T) {
	env := world.Start(t)
	ada := client(t, env, env["STOA_TOKEN"])
	made, err := ada.Labels.Create(&api.GoogleAppsDriveLabelsV2Label{
		LabelType: "SHARED", Properties: &api.GoogleAppsDriveLabelsV2LabelProperties{Title: "Contract"},
		Fields: []*api.GoogleAppsDriveLabelsV2Field{{
			Properties:  &api.GoogleAppsDriveLabelsV2FieldProperties{DisplayName: "Partner"},
			TextOptions: &api.GoogleAppsDriveLabelsV2FieldTextOptions{MaxLength: 80},
		}},
	}).Do()
	if err != nil {
		t.Fatal(err)
	}
	name := "labels/" + made.Id
	published, err := ada.Labels.Publish(name, &api.GoogleAppsDriveLabelsV2PublishLabelRequest{}).Do()
	if err != nil || published.Lifecycle.State != "PUBLISHED" {
		t.Fatalf("published = %+v, %v", published, err)
	}
	got, err := ada.Labels.Get(name).Do()
	if err != nil || got.Properties.Title != "Contract" || len(got.Fields) != 1 {
		t.Errorf("got = %+v, %v", got, err)
	}
	list, err := ada.Labels.List().PublishedOnly(true).Do()
	if err != nil || len(list.Labels) != 1 {
		t.Errorf("list = %+v, %v", list, err)
	}
	if _, err := ada.Labels.Disable(name, &api.GoogleAppsDriveLabelsV2DisableLabelRequest{}).Do(); err != nil {
		t.Error(err)
	}
	if _, err := ada.Labels.Enable(name, &api.GoogleAppsDriveLabelsV2EnableLabelRequest{}).Do(); err != nil {
		t.Error(err)
	}
	if _, err := ada.Labels.Disable(name, &api.GoogleAppsDriveLabelsV2DisableLabelRequest{}).Do(); err != nil {
		t.Error(err)
	}
	if _, err := ada.Labels.Delete(name).Do(); err != nil {
		t.Error(err)
	}
	can, err := ada.Users.GetCapabilities("users/me/capabilities").Do()
	if err != nil || !can.CanCreateSharedLabels {
		t.Errorf("capabilities = %+v, %v", can, err)
	}
}

// TestLimits reads the one resource, and is told why a wrong token or name is
// refused.
func TestLimits(t *testing.T) {
	env := world.Start(t)
	ada := client(t, env, env["STOA_TOKEN"])
	got, err := ada.Limits.GetLabel().Name("limits/label").Do()
	if err != nil {
		t.Fatal(err)
	}
	if got.MaxTitleLength != 50 || got.FieldLimits == nil || got.FieldLimits.SelectionLimits == nil ||
		got.FieldLimits.SelectionLimits.MaxChoices != 200 {
		t.Errorf("limits = %+v", got)
	}
	for name, call := range map[string]struct {
		service *api.Service
		label   string
		code    int
	}{
		"unknown":    {client(t, env, "no-such-token"), "limits/label", http.StatusUnauthorized},
		"wrong name": {ada, "limits/tag", http.StatusBadRequest},
	} {
		_, err := call.service.Limits.GetLabel().Name(call.label).Do()
		var refused *googleapi.Error
		if !errors.As(err, &refused) || refused.Code != call.code {
			t.Errorf("%s: %v, want %d", name, err, call.code)
		}
	}
}
