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
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// verifyWebhook returns the activity of a delivery. The headers have lower-case names.
func verifyWebhook(headers map[string]string, body []byte, jwks keySet, now time.Time) (*activity, error) {
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
	return &event, json.Unmarshal(body, &event)
}

func main() {
	var delivery struct {
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Jwks    keySet            `json:"jwks"`
		NowMs   int64             `json:"nowMs"`
	}
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &delivery)
	}
	now := time.Now()
	if delivery.NowMs != 0 {
		now = time.UnixMilli(delivery.NowMs)
	}
	var event *activity
	if err == nil {
		event, err = verifyWebhook(delivery.Headers, []byte(delivery.Body), delivery.Jwks, now)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s: %s\n", event.Type, event.Status)
}
