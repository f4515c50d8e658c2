package keyhearth

import "encoding/json"

// The statuses of an activity. Only StatusCompleted has a result.
const (
	StatusCreated         = "ACTIVITY_STATUS_CREATED"
	StatusPending         = "ACTIVITY_STATUS_PENDING"
	StatusCompleted       = "ACTIVITY_STATUS_COMPLETED"
	StatusFailed          = "ACTIVITY_STATUS_FAILED"
	StatusRejected        = "ACTIVITY_STATUS_REJECTED"
	StatusConsensusNeeded = "ACTIVITY_STATUS_CONSENSUS_NEEDED"
)

// Activity is what became of a submission.
type Activity struct {
	ID             string                     `json:"id"`
	OrganizationID string                     `json:"organizationId"`
	Status         string                     `json:"status"`
	Type           string                     `json:"type"`
	Fingerprint    string                     `json:"fingerprint"`
	Result         map[string]json.RawMessage `json:"result"`
	Failure        *status                    `json:"failure"`
}

func newActivityError(activity Activity) *ActivityError {
	failed := &ActivityError{Activity: activity, Message: "no reason given"}
	if activity.Failure == nil {
		return failed
	}
	if activity.Failure.Message != nil {
		failed.Message = *activity.Failure.Message
	}
	entry := activity.Failure.detail()
	failed.Code, failed.Field, failed.Docs = entry.Code, entry.Field, entry.Docs
	return failed
}

func isVote(activityType string) bool {
	return activityType == "ACTIVITY_TYPE_APPROVE_ACTIVITY" || activityType == "ACTIVITY_TYPE_REJECT_ACTIVITY"
}
