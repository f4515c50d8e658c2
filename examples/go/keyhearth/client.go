// Package keyhearth is a small client of a Keyhearth service. It needs nothing but the standard library.
package keyhearth

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	maxRetries     = 3
	maxRetryDelay  = 10 * time.Second
	maxAnswerBytes = 32 << 20
)

// Client acts with one credential in one organization. It is safe for concurrent use.
type Client struct {
	// OrganizationID is where the requests act.
	OrganizationID string
	// PollInterval and PollTimeout say how to wait for an activity that outlives its request.
	PollInterval time.Duration
	PollTimeout  time.Duration

	baseURL string
	stamper Stamper
	http    *http.Client
}

// New returns a client of the service at baseURL, such as http://localhost:3000. One request may take 30
// seconds, and waiting for an unfinished activity a minute.
func New(baseURL, organizationID string, stamper Stamper) (*Client, error) {
	parsed, err := url.Parse(baseURL)
	if err != nil || (parsed.Scheme != "https" && parsed.Scheme != "http") || parsed.Host == "" {
		return nil, fmt.Errorf("the base URL must be like https://keys.example.com: got %q", baseURL)
	}
	return &Client{
		OrganizationID: organizationID,
		PollInterval:   500 * time.Millisecond,
		PollTimeout:    time.Minute,
		// Some clients of this API want its path as part of the address.
		baseURL:        strings.TrimSuffix(strings.TrimRight(baseURL, "/"), "/public/v1"),
		stamper:        stamper,
		http: &http.Client{
			Timeout: 30 * time.Second,
			// The API never redirects. Following one would show the stamped request to another host.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Query asks the endpoint name, such as whoami, and decodes its answer into answer. Parameters may be nil.
func (c *Client) Query(ctx context.Context, name string, parameters map[string]any, answer any) error {
	body := map[string]any{"organizationId": c.OrganizationID}
	for key, value := range parameters {
		body[key] = value
	}
	bytes, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.post(ctx, "/public/v1/query/"+name, bytes, answer)
}

// Submit asks for an activity of the given type at the endpoint name, waits until it ends, and decodes its
// result into result. An activity that ends without a result is an *ActivityError.
func (c *Client) Submit(ctx context.Context, name, activityType string, parameters map[string]any, result any) (Activity, error) {
	body, err := json.Marshal(map[string]any{
		"type":           activityType,
		"timestampMs":    strconv.FormatInt(time.Now().UnixMilli(), 10),
		"organizationId": c.OrganizationID,
		"parameters":     parameters,
	})
	if err != nil {
		return Activity{}, err
	}
	path := "/public/v1/submit/" + name
	activity, err := c.activity(ctx, path, body)
	if err != nil {
		return Activity{}, err
	}
	// The answer must be about these bytes. The answer to a vote is about the activity that was voted on.
	expected := fingerprintOf(body)
	if isVote(activityType) {
		expected, _ = parameters["fingerprint"].(string)
	}
	if activity.Fingerprint != expected {
		return Activity{}, c.unexpected(path, "the activity of another request")
	}
	if activity, err = c.poll(ctx, activity); err != nil {
		return activity, err
	}
	return activity, c.decodeResult(path, activity, result)
}

// poll reads the activity until it ends.
func (c *Client) poll(ctx context.Context, activity Activity) (Activity, error) {
	giveUpAt := time.Now().Add(c.PollTimeout)
	for activity.Status == StatusPending || activity.Status == StatusCreated {
		if time.Now().Add(c.PollInterval).After(giveUpAt) {
			return activity, &ActivityError{Activity: activity}
		}
		if err := wait(ctx, c.PollInterval); err != nil {
			return activity, err
		}
		body, err := json.Marshal(map[string]string{
			"organizationId": activity.OrganizationID,
			"activityId":     activity.ID,
		})
		if err != nil {
			return activity, err
		}
		const path = "/public/v1/query/get_activity"
		next, err := c.activity(ctx, path, body)
		if err != nil {
			return activity, err
		}
		if next.ID != activity.ID || next.Fingerprint != activity.Fingerprint {
			return activity, c.unexpected(path, "another activity")
		}
		activity = next
	}
	if activity.Status != StatusCompleted {
		return activity, newActivityError(activity)
	}
	return activity, nil
}

func (c *Client) activity(ctx context.Context, path string, body []byte) (Activity, error) {
	var answer struct {
		Activity *Activity `json:"activity"`
	}
	if err := c.post(ctx, path, body, &answer); err != nil {
		return Activity{}, err
	}
	if answer.Activity == nil || answer.Activity.ID == "" {
		return Activity{}, c.unexpected(path, "no activity")
	}
	return *answer.Activity, nil
}

// decodeResult takes the only member of the result, which is named after the type.
func (c *Client) decodeResult(path string, activity Activity, result any) error {
	if len(activity.Result) != 1 {
		return c.unexpected(path, "a completed activity without a result")
	}
	for _, raw := range activity.Result {
		if result != nil && json.Unmarshal(raw, result) != nil {
			return c.unexpected(path, "a result of another form")
		}
	}
	return nil
}

// post stamps the body once. If the service is busy and says when to come back, it sends the same bytes
// again: they are the same activity, which the service executes once.
func (c *Client) post(ctx context.Context, path string, body []byte, answer any) error {
	header, stamp, err := c.stamper.Stamp(body)
	if err != nil {
		return err
	}
	for retries := 0; ; retries++ {
		response, text, err := c.send(ctx, path, body, header, stamp)
		if err != nil {
			return err
		}
		if response.StatusCode == http.StatusOK {
			if json.Unmarshal(text, answer) != nil {
				return c.unexpected(path, "not JSON of the expected form")
			}
			return nil
		}
		delay, isBusy := retryDelay(response)
		if !isBusy || retries == maxRetries {
			return parseError(c.baseURL+path, response.StatusCode, text)
		}
		if err := wait(ctx, delay); err != nil {
			return err
		}
	}
}

func (c *Client) send(ctx context.Context, path string, body []byte, header, stamp string) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.baseURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(header, stamp)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, nil, fmt.Errorf("reach the service: %w", err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(text) > maxAnswerBytes {
		return nil, nil, c.unexpected(path, "more than 32 MiB")
	}
	return response, text, nil
}

func (c *Client) unexpected(path, reason string) error {
	return &UnexpectedAnswerError{URL: c.baseURL + path, Reason: reason}
}

func retryDelay(response *http.Response) (time.Duration, bool) {
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 16)
	delay := time.Duration(seconds) * time.Second
	return delay, err == nil && delay <= maxRetryDelay
}

func wait(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func fingerprintOf(body []byte) string {
	digest := sha256.Sum256(body)
	return "sha256:" + hex.EncodeToString(digest[:])
}
