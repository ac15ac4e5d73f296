package conformance_test

import (
	"net/http"
	"strconv"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/test/conformance"
)

const labelPath = "/v2/limits/label?name=limits/label"

// TestLabels proves D-01 to D-12.
func TestLabels(t *testing.T) {
	t.Parallel()
	conformance.On(t, func(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
		h := open(t, conformance.Options{})
		h.User(t, "dora")
		token := h.Token(t, "dora", "labels")
		limits := h.Do(t, conformance.Call{Path: labelPath, Bearer: token}).Want(t, http.StatusOK).Object(t)
		labelResources(t, limits)
		labelRequests(t, h, token)
		t.Run("D-11", func(t *testing.T) { labelValues(t, open) })
		t.Run("D-12", func(t *testing.T) { labelScopes(t, h) })
	})
}

// labelResources looks at the shape of one answer.
func labelResources(t *testing.T, limits map[string]any) {
	t.Run("D-01", func(t *testing.T) {
		conformance.Only(t, limits, "name", "maxTitleLength", "maxDescriptionLength",
			"maxFields", "maxDeletedFields", "maxDraftRevisions", "fieldLimits")
		conformance.Text(t, limits, "name")
		for _, name := range []string{
			"maxTitleLength", "maxDescriptionLength", "maxFields", "maxDeletedFields", "maxDraftRevisions",
		} {
			conformance.Integer(t, limits, name)
		}
	})
	field := conformance.Sub(t, limits, "fieldLimits")
	t.Run("D-02", func(t *testing.T) {
		conformance.Only(t, field, "maxIdLength", "maxDisplayNameLength", "maxDescriptionLength",
			"textLimits", "longTextLimits", "integerLimits", "dateLimits", "userLimits", "selectionLimits")
		for _, name := range []string{"maxIdLength", "maxDisplayNameLength", "maxDescriptionLength"} {
			conformance.Integer(t, field, name)
		}
	})
	t.Run("D-03", func(t *testing.T) {
		for _, name := range []string{"textLimits", "longTextLimits"} {
			conformance.Only(t, conformance.Sub(t, field, name), "minLength", "maxLength")
			low := conformance.Integer(t, field, name, "minLength")
			if high := conformance.Integer(t, field, name, "maxLength"); low > high {
				t.Errorf("%s: minLength %d is above maxLength %d", name, low, high)
			}
		}
	})
	t.Run("D-04", func(t *testing.T) {
		conformance.Only(t, conformance.Sub(t, field, "integerLimits"), "minValue", "maxValue")
		for _, name := range []string{"minValue", "maxValue"} {
			text := conformance.Text(t, field, "integerLimits", name)
			if _, err := strconv.ParseInt(text, 10, 64); err != nil {
				t.Errorf("integerLimits.%s: got %q, want a 64-bit integer in a string", name, text)
			}
		}
	})
	t.Run("D-05", func(t *testing.T) {
		conformance.Only(t, conformance.Sub(t, field, "dateLimits"), "minValue", "maxValue")
		for _, name := range []string{"minValue", "maxValue"} {
			date := conformance.Sub(t, field, "dateLimits", name)
			for _, part := range []string{"year", "month", "day"} {
				conformance.Integer(t, date, part)
			}
		}
	})
	t.Run("D-06", func(t *testing.T) {
		conformance.Only(t, conformance.Sub(t, field, "userLimits"), "listLimits")
		conformance.Only(t, conformance.Sub(t, field, "userLimits", "listLimits"), "maxEntries")
		conformance.Integer(t, field, "userLimits", "listLimits", "maxEntries")
	})
	t.Run("D-07", func(t *testing.T) {
		selection := conformance.Sub(t, field, "selectionLimits")
		conformance.Only(t, selection,
			"listLimits", "maxIdLength", "maxDisplayNameLength", "maxChoices", "maxDeletedChoices")
		for _, name := range []string{"maxIdLength", "maxDisplayNameLength", "maxChoices", "maxDeletedChoices"} {
			conformance.Integer(t, selection, name)
		}
		conformance.Integer(t, selection, "listLimits", "maxEntries")
	})
}

func labelRequests(t *testing.T, h *conformance.Server, token string) {
	t.Run("D-08", func(t *testing.T) {
		a := h.Do(t, conformance.Call{Path: labelPath, Bearer: token}).Want(t, http.StatusOK)
		if got := conformance.Text(t, a.Object(t), "name"); got != "limits/label" {
			t.Errorf("name: got %q, want limits/label", got)
		}
		h.Do(t, conformance.Call{
			Path: "/v2/limits/label?alt=json&name=limits%2Flabel&prettyPrint=false", Bearer: token,
		}).Want(t, http.StatusOK)
	})
	t.Run("D-09", func(t *testing.T) {
		for _, query := range []string{
			"", "?name=", "?name=limits", "?name=limits/labels", "?name=LIMITS/LABEL", "?Name=limits/label",
		} {
			a := h.Do(t, conformance.Call{Path: "/v2/limits/label" + query, Bearer: token}).Refused(t)
			labelEnvelope(t, a, http.StatusBadRequest, "INVALID_ARGUMENT")
		}
	})
	t.Run("D-10", func(t *testing.T) {
		a := h.Do(t, conformance.Call{Path: labelPath, Bearer: token, Body: "{}"}).Refused(t)
		labelEnvelope(t, a, http.StatusBadRequest, "INVALID_ARGUMENT")
	})
}

// labelEnvelope checks {error:{code,message,status,errors[]}}.
func labelEnvelope(t *testing.T, a *conformance.Answer, status int, word string) {
	t.Helper()
	a.Want(t, status)
	object := a.Object(t)
	if got := conformance.Integer(t, object, "error", "code"); got != int64(status) {
		t.Errorf("error.code: got %d, want %d", got, status)
	}
	if got := conformance.Text(t, object, "error", "status"); got != word {
		t.Errorf("error.status: got %q, want %q", got, word)
	}
	if conformance.Text(t, object, "error", "message") == "" {
		t.Errorf("error.message is empty in %v", a)
	}
	if list, ok := conformance.Member(t, object, "error", "errors").([]any); !ok || len(list) == 0 {
		t.Errorf("error.errors is not a list with an entry in %v", a)
	}
}

// labelValues changes the configuration and reads it back from the answer.
func labelValues(t *testing.T, open func(*testing.T, conformance.Options) *conformance.Server) {
	h := open(t, conformance.Options{Configure: func(c *app.Config) {
		c.Labels.MaxTitleLength = 77
		c.Labels.Field.IntegerMax = 9007199254740993
		c.Labels.Field.SelectionMaxChoices = 33
	}})
	h.User(t, "dora")
	token := h.Token(t, "dora", "labels")
	limits := h.Do(t, conformance.Call{Path: labelPath, Bearer: token}).Want(t, http.StatusOK).Object(t)
	if got := conformance.Integer(t, limits, "maxTitleLength"); got != 77 {
		t.Errorf("maxTitleLength: got %d, want 77", got)
	}
	if got := conformance.Text(t, limits, "fieldLimits", "integerLimits", "maxValue"); got != "9007199254740993" {
		t.Errorf("integerLimits.maxValue: got %s, want 9007199254740993", got)
	}
	if got := conformance.Integer(t, limits, "fieldLimits", "selectionLimits", "maxChoices"); got != 33 {
		t.Errorf("selectionLimits.maxChoices: got %d, want 33", got)
	}
}

// labelScopes tries every scope alone, none of them, and no token.
func labelScopes(t *testing.T, h *conformance.Server) {
	for _, name := range []string{
		"storage.labels", "storage.labels.readonly", "storage.admin.labels", "storage.admin.labels.readonly",
	} {
		token := h.Token(t, "dora", "labels", h.URL+"/auth/"+name)
		h.Do(t, conformance.Call{Path: labelPath, Bearer: token}).Want(t, http.StatusOK)
	}
	for _, bearer := range []string{"", "never-issued"} {
		a := h.Do(t, conformance.Call{Path: labelPath, Bearer: bearer}).Want(t, http.StatusUnauthorized)
		labelEnvelope(t, a, http.StatusUnauthorized, "UNAUTHENTICATED")
	}
	// A token of another service is known and has none of the four: a new one would not help.
	other := h.Do(t, conformance.Call{Path: labelPath, Bearer: h.Token(t, "dora", "apikeys")})
	labelEnvelope(t, other.Want(t, http.StatusForbidden), http.StatusForbidden, "PERMISSION_DENIED")
}
