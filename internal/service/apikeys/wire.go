package apikeys

import (
	"encoding/json"
	"math"
	"strconv"
)

// refreshRequest keeps the members raw, so that every wrong one can be named
// in a single answer.
type refreshRequest struct {
	APIKeyDaysValid    json.RawMessage `json:"apiKeyDaysValid"`
	APIKeyNeverExpires json.RawMessage `json:"apiKeyNeverExpires"`
}

type refreshResponse struct {
	Status string      `json:"status"`
	Data   refreshData `json:"data"`
}

type refreshData struct {
	APIKey string `json:"apiKey"`
}

func toWire(secret string) refreshResponse {
	return refreshResponse{Status: "success", Data: refreshData{APIKey: secret}}
}

// fromWire checks the types. Numbers and booleans are never converted from
// text.
func (q refreshRequest) fromWire() (Validity, error) {
	var (
		v          Validity
		violations []Violation
	)
	if given(q.APIKeyDaysValid) {
		days, err := strconv.ParseFloat(string(q.APIKeyDaysValid), 64)
		if err != nil || days != math.Trunc(days) || math.Abs(days) > math.MaxInt32 {
			violations = append(violations, daysViolation("isInt", "apiKeyDaysValid must be an integer number"))
		} else {
			whole := int(days)
			v.Days = &whole
		}
	}
	if given(q.APIKeyNeverExpires) {
		if err := json.Unmarshal(q.APIKeyNeverExpires, &v.Never); err != nil {
			violations = append(violations, Violation{
				Property:    "apiKeyNeverExpires",
				Constraints: []Constraint{{Rule: "isBoolean", Text: "apiKeyNeverExpires must be a boolean value"}},
			})
		}
	}
	if len(violations) > 0 {
		return Validity{}, errViolations(violations)
	}
	return v, nil
}

func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

type meResponse struct {
	Status string `json:"status"`
	Data   meData `json:"data"`
}

// meData is the owner of the key. apiKeyExpiresAt is null for a key without an end.
type meData struct {
	ID              int64   `json:"id"`
	UserName        string  `json:"username"`
	Name            string  `json:"name"`
	Email           string  `json:"email"`
	APIKeyExpiresAt *string `json:"apiKeyExpiresAt"`
}

func meToWire(o Owner) meResponse {
	data := meData{ID: o.User.ID, UserName: o.User.Name, Name: o.User.DisplayName, Email: o.User.Email}
	if !o.KeyExpiresAt.IsZero() {
		text := o.KeyExpiresAt.UTC().Format("2006-01-02T15:04:05.000Z")
		data.APIKeyExpiresAt = &text
	}
	return meResponse{Status: "success", Data: data}
}
