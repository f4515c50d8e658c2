package keyhearth

import (
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A P-256 key, a body, and a stamp over it that another program made (packages/crypto/src/vectors).
const (
	vectorPublicKey  = "028343586dc2b636d56d31ec9e14d4c6a8001eff7fba73a4d766bf56030a39b8b5"
	vectorPrivateKey = "4d9df9b0201b327a9914d70131ac889f36e8ada655fa409a876821b81a374ab9"
	vectorBody       = `{"organizationId":"11111111-2222-4333-8444-555555555555"}`
	vectorSignature  = "3045022100ef84d393e9b1ff18ecba58a1fb8f75b58e1c87e15074f315094d964f87dc2094022038722e67dbaab4b7b84d1e55be4ab8f0f1f88ca4e09132517685f7b6c42bd87c"
)

func TestAStampVerifies(t *testing.T) {
	key, err := NewAPIKey(vectorPublicKey, vectorPrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	header, value, err := key.Stamp([]byte(vectorBody))
	if err != nil || header != "X-Stamp" {
		t.Fatalf("got %q, %v", header, err)
	}
	text, err := base64.RawURLEncoding.DecodeString(value)
	if err != nil {
		t.Fatal(err)
	}
	var stamp map[string]string
	if err := json.Unmarshal(text, &stamp); err != nil {
		t.Fatal(err)
	}
	if len(stamp) != 3 || stamp["publicKey"] != vectorPublicKey || stamp["scheme"] != "SIGNATURE_SCHEME_TK_API_P256" {
		t.Errorf("got %v", stamp)
	}
	for _, signature := range []string{stamp["signature"], vectorSignature} {
		der, err := hex.DecodeString(signature)
		if err != nil {
			t.Fatal(err)
		}
		digest := sha256.Sum256([]byte(vectorBody))
		if !ecdsa.VerifyASN1(&key.privateKey.PublicKey, digest[:], der) {
			t.Errorf("does not verify: %s", signature)
		}
		digest[0] ^= 1
		if ecdsa.VerifyASN1(&key.privateKey.PublicKey, digest[:], der) {
			t.Errorf("verifies for another body: %s", signature)
		}
	}
}

func TestAKeyMustBeOneP256Pair(t *testing.T) {
	order := "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
	for name, pair := range map[string][2]string{
		"another public key": {"03" + vectorPublicKey[2:], vectorPrivateKey},
		"upper case":         {strings.ToUpper(vectorPublicKey), vectorPrivateKey},
		"not hex":            {vectorPublicKey, strings.Repeat("z", 64)},
		"too short":          {vectorPublicKey, vectorPrivateKey[2:]},
		"too long":           {vectorPublicKey, "00" + vectorPrivateKey},
		"zero":               {vectorPublicKey, strings.Repeat("0", 64)},
		"the order":          {vectorPublicKey, order},
		"nothing":            {"", ""},
	} {
		_, err := NewAPIKey(pair[0], pair[1])
		if err == nil {
			t.Errorf("%s: accepted", name)
		} else if pair[1] != "" && strings.Contains(err.Error(), pair[1]) {
			t.Errorf("%s: the message shows the private key", name)
		}
	}
}

func TestAKeyFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key.json")
	if _, err := ReadKeyFile(path); err == nil {
		t.Error("read a file that does not exist")
	}
	for text, isValid := range map[string]bool{`{"organizationId":"org","apiPrivateKey":"secret"}`: true, `secret`: false, `["secret"]`: false} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := ReadKeyFile(path)
		if isValid && (err != nil || file.OrganizationID != "org" || file.APIPrivateKey != "secret") {
			t.Errorf("got %+v, %v", file, err)
		}
		if !isValid && (err == nil || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
