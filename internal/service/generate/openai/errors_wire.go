package openai

import "net/http"

// ErrorBody is why a request failed, in the envelope of this form.
type ErrorBody struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    *string `json:"code"`
}

// Envelope is the body of an answer that is an error.
type Envelope struct {
	Error ErrorBody `json:"error"`
}

// NewError is an error with the type that goes with its status. Empty texts of
// param and code are null.
func NewError(status int, code, param, message string) ErrorBody {
	e := ErrorBody{Message: message, Type: "invalid_request_error"}
	switch {
	case status == http.StatusTooManyRequests:
		e.Type = "requests"
	case status >= http.StatusInternalServerError:
		e.Type = "server_error"
	}
	if code != "" {
		e.Code = &code
	}
	if param != "" {
		e.Param = &param
	}
	return e
}
