package keyhearth

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// KeyFile is what the first start of the service writes to data/root-api-key.json.
type KeyFile struct {
	OrganizationID string `json:"organizationId"`
	UserID         string `json:"userId"`
	APIPublicKey   string `json:"apiPublicKey"`
	APIPrivateKey  string `json:"apiPrivateKey"`
}

// ReadKeyFile reads an API key and the organization that it belongs to.
func ReadKeyFile(path string) (KeyFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return KeyFile{}, fmt.Errorf("read the API key: %w", err)
	}
	var file KeyFile
	// The decoder's own message could quote the file, which holds a private key.
	if json.Unmarshal(text, &file) != nil {
		return KeyFile{}, fmt.Errorf("%s is not a JSON object with the members of an API key", path)
	}
	return file, nil
}

// A Stamper puts a signature over a request's body into a header.
type Stamper interface {
	Stamp(body []byte) (header, value string, err error)
}

// APIKey stamps requests with a P-256 API key.
type APIKey struct {
	publicKey  string
	privateKey *ecdsa.PrivateKey
}

// NewAPIKey takes both halves of a P-256 API key in hex, as the key file has them: 66 characters of the
// compressed public key and 64 of the private key.
func NewAPIKey(publicKey, privateKey string) (*APIKey, error) {
	scalar, err := hex.DecodeString(privateKey)
	if err != nil || len(scalar) != 32 {
		return nil, errors.New("the private key must be 64 hex characters, as apiPrivateKey in the key file")
	}
	key, err := parseP256(scalar)
	if err != nil {
		return nil, errors.New("the private key is not a P-256 key: it is zero or too large")
	}
	derived := hex.EncodeToString(elliptic.MarshalCompressed(elliptic.P256(), key.X, key.Y))
	if publicKey != derived {
		return nil, errors.New("the public key does not belong to the private key: give both halves of one P-256 API key, in lower-case hex")
	}
	return &APIKey{publicKey: publicKey, privateKey: key}, nil
}

// Stamp signs the SHA-256 of the body. It returns the name and the value of the header.
func (k *APIKey) Stamp(body []byte) (string, string, error) {
	digest := sha256.Sum256(body)
	signature, err := ecdsa.SignASN1(rand.Reader, k.privateKey, digest[:])
	if err != nil {
		return "", "", fmt.Errorf("sign the request: %w", err)
	}
	stamp, err := json.Marshal(map[string]string{
		"publicKey": k.publicKey,
		"scheme":    "SIGNATURE_SCHEME_TK_API_P256",
		"signature": hex.EncodeToString(signature),
	})
	if err != nil {
		return "", "", err
	}
	return "X-Stamp", base64.RawURLEncoding.EncodeToString(stamp), nil
}

// parseP256 lets the standard library check the scalar and compute the public key: it wraps the scalar in
// the form that x509 reads (RFC 5915).
func parseP256(scalar []byte) (*ecdsa.PrivateKey, error) {
	der, err := asn1.Marshal(struct {
		Version    int
		PrivateKey []byte
		Curve      asn1.ObjectIdentifier `asn1:"explicit,tag:0"`
	}{1, scalar, asn1.ObjectIdentifier{1, 2, 840, 10045, 3, 1, 7}})
	if err != nil {
		return nil, err
	}
	key, err := x509.ParseECPrivateKey(der)
	if err != nil {
		return nil, err
	}
	if key.D.Sign() == 0 {
		return nil, errors.New("zero")
	}
	return key, nil
}
