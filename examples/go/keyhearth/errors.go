package keyhearth

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Error is an answer of the service that is not a success. Branch on Code: messages are for people.
type Error struct {
	// HTTPStatus of the answer.
	HTTPStatus int
	// Code is stable, such as FIELD_INVALID or POLICY_DENIED. It is empty if the service gave none.
	Code string
	// Field is the path of the wrong field, such as parameters.accounts[0].curve, if one is wrong.
	Field   string
	Message string
	// Docs is the page that explains Code, as a path of the site.
	Docs string
}

func (e *Error) Error() string {
	return describe(fmt.Sprintf("the service answered %d", e.HTTPStatus), e.Code, e.Field, e.Message, e.Docs)
}

// ActivityError says that an activity did not complete. Status tells why:
//   - StatusConsensusNeeded: others must approve it. Give them Activity.Fingerprint.
//   - StatusRejected: somebody whose vote counts rejected it.
//   - StatusFailed: it was allowed, but could not be done. Code, Field, Message and Docs say why.
//   - any other status: do not treat the activity as done.
type ActivityError struct {
	Activity                   Activity
	Code, Field, Message, Docs string
}

func (e *ActivityError) Error() string {
	id := e.Activity.ID
	switch e.Activity.Status {
	case StatusConsensusNeeded:
		return fmt.Sprintf("activity %s needs more approvals of fingerprint %s", id, e.Activity.Fingerprint)
	case StatusRejected:
		return fmt.Sprintf("activity %s was rejected", id)
	case StatusFailed:
		return describe(fmt.Sprintf("activity %s failed", id), e.Code, e.Field, e.Message, e.Docs)
	case StatusCreated, StatusPending:
		return fmt.Sprintf("activity %s did not finish in time: read it again with get_activity", id)
	default:
		return fmt.Sprintf("activity %s stopped at %s", id, e.Activity.Status)
	}
}

// UnexpectedAnswerError says that what answered does not speak this API, or answered something else than
// it was asked. Check the base URL first.
type UnexpectedAnswerError struct {
	URL    string
	Reason string
}

func (e *UnexpectedAnswerError) Error() string {
	return fmt.Sprintf("unexpected answer from %s: %s; check the base URL", e.URL, e.Reason)
}

func describe(what, code, field, message, docs string) string {
	text := what
	if code != "" {
		text += " " + code
	}
	text += ": " + message
	if field != "" && !strings.Contains(message, field) {
		text += " (field " + field + ")"
	}
	if docs != "" {
		text += "; see " + docs
	}
	return text
}

// status is the shape of an error, in an answer and in the failure of an activity.
type status struct {
	Message *string           `json:"message"`
	Details []json.RawMessage `json:"details"`
}

type detail struct {
	Code  string `json:"code"`
	Field string `json:"field"`
	Docs  string `json:"docs"`
}

// detail returns the first entry for programs. Entries of other forms may come before it.
func (s status) detail() detail {
	for _, raw := range s.Details {
		var entry detail
		if json.Unmarshal(raw, &entry) == nil && entry.Code != "" {
			return entry
		}
	}
	return detail{}
}

func parseError(url string, httpStatus int, body []byte) error {
	var answer status
	if json.Unmarshal(body, &answer) != nil || answer.Message == nil {
		return &UnexpectedAnswerError{url, fmt.Sprintf("status %d without an error message", httpStatus)}
	}
	entry := answer.detail()
	return &Error{
		HTTPStatus: httpStatus,
		Code:       entry.Code,
		Field:      entry.Field,
		Message:    *answer.Message,
		Docs:       entry.Docs,
	}
}
