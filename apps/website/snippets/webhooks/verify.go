package main

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"
)

type keySet struct {
	Keys []struct {
		Kid string `json:"kid"`
		Crv string `json:"crv"`
		X   string `json:"x"`
	} `json:"keys"`
}

type activity struct {
	ID             string `json:"id"`
	OrganizationID string `json:"organizationId"`
	Type           string `json:"type"`
	Status         string `json:"status"`
}

type delivery struct {
	Headers         map[string]string `json:"headers"`
	Body            string            `json:"body"`
	Jwks            keySet            `json:"jwks"`
	OrganizationIDs []string          `json:"organizationIds"`
	NowMs           int64             `json:"nowMs"`
}

// verifyWebhook returns the activity of a delivery. The headers have lower-case names, and isOurs says whether an
// organization is yours. Handle each activity's id with its status once.
func verifyWebhook(headers map[string]string, body []byte, jwks keySet, isOurs func(string) bool, now time.Time) (*activity, error) {
	read := func(name string) string { return headers["x-turnkey-"+name] }
	keyID, timestamp := read("signature-key-id"), read("timestamp")
	if read("signature-version") != "v1" || read("signature-algorithm") != "ed25519" {
		return nil, errors.New("unknown form of signature")
	}
	milliseconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return nil, errors.New("not a timestamp")
	}
	var publicKey ed25519.PublicKey
	for _, key := range jwks.Keys {
		bytes, err := base64.RawURLEncoding.DecodeString(key.X)
		// The id is the first half of the key's digest, so a pinned id pins the key.
		digest := sha256.Sum256(bytes)
		if err == nil && key.Crv == "Ed25519" && key.Kid == keyID && hex.EncodeToString(digest[:16]) == keyID {
			publicKey = bytes
		}
	}
	if len(publicKey) != ed25519.PublicKeySize {
		return nil, errors.New("not a key of the signer")
	}
	signed := []byte("v1.ed25519." + keyID + "." + timestamp + "." + read("event-id") + ".")
	signature, err := hex.DecodeString(read("signature"))
	if err != nil || !ed25519.Verify(publicKey, append(signed, body...), signature) {
		return nil, errors.New("not signed by this key")
	}
	age := now.Sub(time.UnixMilli(milliseconds))
	if age > 5*time.Minute || age < -5*time.Minute {
		return nil, errors.New("older than five minutes")
	}
	var event activity
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, err
	}
	// Other tenants can have their events sent to your URL, signed with the same key.
	if !isOurs(event.OrganizationID) {
		return nil, errors.New("not one of our organizations")
	}
	return &event, nil
}

func main() {
	var given delivery
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &given)
	}
	isOurs := func(id string) bool {
		for _, ours := range given.OrganizationIDs {
			if id == ours {
				return true
			}
		}
		return false
	}
	now := time.Now()
	if given.NowMs != 0 {
		now = time.UnixMilli(given.NowMs)
	}
	var event *activity
	if err == nil {
		event, err = verifyWebhook(given.Headers, []byte(given.Body), given.Jwks, isOurs, now)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s: %s\n", event.Type, event.Status)
}
