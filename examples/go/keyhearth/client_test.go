package keyhearth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

type answer struct {
	status int
	header map[string]string
	body   string
}

type received struct{ path, stamp, body string }

// serve gives the answers in order, and repeats the last one. In an answer, FINGERPRINT stands for the
// fingerprint of the first request.
func serve(t *testing.T, answers ...answer) (*Client, *[]received) {
	t.Helper()
	requests := []received{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests = append(requests, received{r.URL.Path, r.Header.Get("X-Stamp"), string(body)})
		next := answers[0]
		if len(answers) > 1 {
			answers = answers[1:]
		}
		for name, value := range next.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(next.status)
		fingerprint := fingerprintOf([]byte(requests[0].body))
		fmt.Fprint(w, strings.ReplaceAll(next.body, "FINGERPRINT", fingerprint))
	}))
	t.Cleanup(server.Close)
	key, err := NewAPIKey(vectorPublicKey, vectorPrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	client, err := New(server.URL+"/public/v1/", "org", key)
	if err != nil {
		t.Fatal(err)
	}
	client.PollInterval = time.Millisecond
	return client, &requests
}

func activityOf(status, more string) string {
	return fmt.Sprintf(`{"activity":{"id":"a","organizationId":"org","fingerprint":"FINGERPRINT","status":"ACTIVITY_STATUS_%s",%s}}`, status, more)
}

func submit(client *Client) (string, error) {
	var result struct{ WalletID string }
	_, err := client.Submit(context.Background(), "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", map[string]any{"walletName": "w"}, &result)
	return result.WalletID, err
}

const completed = `"result":{"createWalletResult":{"walletId":"w1"}}`

func TestSubmitWaitsUntilTheActivityEnds(t *testing.T) {
	client, requests := serve(t,
		answer{200, nil, activityOf("CREATED", `"result":{}`)},
		answer{200, nil, activityOf("PENDING", `"result":{}`)},
		answer{200, nil, activityOf("COMPLETED", completed)},
	)
	walletID, err := submit(client)
	if err != nil || walletID != "w1" {
		t.Fatalf("got %q, %v", walletID, err)
	}
	var envelope map[string]any
	if err := json.Unmarshal([]byte((*requests)[0].body), &envelope); err != nil {
		t.Fatal(err)
	}
	if _, isText := envelope["timestampMs"].(string); !isText || envelope["organizationId"] != "org" || envelope["type"] != "ACTIVITY_TYPE_CREATE_WALLET" {
		t.Errorf("wrong envelope: %v", envelope)
	}
	if last := (*requests)[2]; last.path != "/public/v1/query/get_activity" || !strings.Contains(last.body, `"activityId":"a"`) {
		t.Errorf("polled with %+v", last)
	}
}

func TestSubmitGivesUpAnActivityThatStaysPending(t *testing.T) {
	client, _ := serve(t, answer{200, nil, activityOf("PENDING", `"result":{}`)})
	client.PollTimeout = 20 * time.Millisecond
	_, err := submit(client)
	var failed *ActivityError
	if !errors.As(err, &failed) || failed.Activity.Status != StatusPending {
		t.Fatalf("got %v", err)
	}
}

func TestAnActivityWithoutResultIsATypedError(t *testing.T) {
	for _, status := range []string{"REJECTED", "CONSENSUS_NEEDED", "AUTHENTICATORS_NEEDED", "SOMETHING_NEW"} {
		client, _ := serve(t, answer{200, nil, activityOf(status, `"result":{}`)})
		_, err := submit(client)
		var failed *ActivityError
		if !errors.As(err, &failed) || failed.Activity.Status != "ACTIVITY_STATUS_"+status {
			t.Errorf("%s: got %v", status, err)
		}
	}
}

func TestAFailedActivityTellsWhy(t *testing.T) {
	failure := `"result":{},"failure":{"code":3,"message":"no","details":[{"@type":"other"},{"code":"DIGEST_INVALID","field":"parameters.payload","docs":"/errors#digest-invalid"}]}`
	client, _ := serve(t, answer{200, nil, activityOf("FAILED", failure)})
	_, err := submit(client)
	var failed *ActivityError
	if !errors.As(err, &failed) || failed.Code != "DIGEST_INVALID" || failed.Field != "parameters.payload" || failed.Message != "no" || failed.Docs != "/errors#digest-invalid" {
		t.Fatalf("got %#v", err)
	}
}

func TestTheAnswerMustBeAboutTheRequest(t *testing.T) {
	for name, body := range map[string]string{
		"another request":  strings.ReplaceAll(activityOf("COMPLETED", completed), "FINGERPRINT", "sha256:00"),
		"no activity":      `{}`,
		"no result":        activityOf("COMPLETED", `"result":{}`),
		"a page":           "<!doctype html>",
		"nothing":          "",
		"another JSON":     `[]`,
		"a result as text": activityOf("COMPLETED", `"result":{"createWalletResult":"w1"}`),
	} {
		client, _ := serve(t, answer{200, nil, body})
		_, err := submit(client)
		var unexpected *UnexpectedAnswerError
		if !errors.As(err, &unexpected) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAVoteReturnsTheActivityThatItIsAbout(t *testing.T) {
	client, _ := serve(t, answer{200, nil, strings.ReplaceAll(activityOf("COMPLETED", completed), "FINGERPRINT", "sha256:11")})
	vote := func(fingerprint string) error {
		_, err := client.Submit(context.Background(), "approve_activity", "ACTIVITY_TYPE_APPROVE_ACTIVITY", map[string]any{"fingerprint": fingerprint}, nil)
		return err
	}
	if err := vote("sha256:11"); err != nil {
		t.Error(err)
	}
	if err := vote("sha256:22"); err == nil {
		t.Error("accepted the answer to another vote")
	}
}

func TestABusyServiceGetsTheSameBytesAgain(t *testing.T) {
	busy := answer{503, map[string]string{"Retry-After": "0"}, `{"code":14,"message":"busy","details":[]}`}
	limited := answer{429, map[string]string{"Retry-After": "0"}, `{"code":8,"message":"slow down","details":[]}`}
	client, requests := serve(t, busy, limited, answer{200, nil, activityOf("COMPLETED", completed)})
	if _, err := submit(client); err != nil {
		t.Fatal(err)
	}
	if len(*requests) != 3 || (*requests)[0] != (*requests)[1] || (*requests)[1] != (*requests)[2] {
		t.Errorf("sent %+v", *requests)
	}

	client, requests = serve(t, busy)
	if _, err := submit(client); err == nil || len(*requests) != 4 {
		t.Errorf("sent %d requests, got %v", len(*requests), err)
	}
	for _, retryAfter := range []string{"", "3600", "-1", "soon"} {
		client, requests = serve(t, answer{503, map[string]string{"Retry-After": retryAfter}, busy.body})
		if _, err := submit(client); err == nil || len(*requests) != 1 {
			t.Errorf("%q: sent %d requests, got %v", retryAfter, len(*requests), err)
		}
	}
}

func TestAnErrorAnswerIsTyped(t *testing.T) {
	body := `{"code":3,"message":"must be a UUID","details":[{"@type":"keyhearth.dev/ErrorDetail","code":"FIELD_INVALID","field":"organizationId","docs":"/errors#field-invalid"}]}`
	client, _ := serve(t, answer{400, nil, body})
	err := client.Query(context.Background(), "whoami", nil, new(struct{}))
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	if expected := (Error{400, "FIELD_INVALID", "organizationId", "must be a UUID", "/errors#field-invalid"}); *refused != expected {
		t.Errorf("got %#v", *refused)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	client, requests := serve(t, answer{307, map[string]string{"Location": "/elsewhere"}, ""})
	err := client.Query(context.Background(), "whoami", nil, new(struct{}))
	var unexpected *UnexpectedAnswerError
	if !errors.As(err, &unexpected) || len(*requests) != 1 {
		t.Errorf("sent %d requests, got %v", len(*requests), err)
	}
}

func TestARequestEndsWithItsContext(t *testing.T) {
	client, _ := serve(t, answer{503, map[string]string{"Retry-After": "9"}, "{}"})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := client.Query(ctx, "whoami", nil, new(struct{})); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestABaseURLMustBeComplete(t *testing.T) {
	for _, base := range []string{"", "localhost:3000", "/public", "ftp://localhost", "http://"} {
		if _, err := New(base, "org", nil); err == nil {
			t.Errorf("accepted %q", base)
		}
	}
}
