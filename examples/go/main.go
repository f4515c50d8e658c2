// This program asks who it is, finds or creates a wallet with one Ethereum account, and signs a message
// that any Ethereum library verifies.
package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"log"
	"os"

	"keyhearth.example/go/keyhearth"
)

const walletName = "Go example"

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := connect()
	if err != nil {
		return err
	}

	var me struct{ Username, OrganizationName string }
	if err := client.Query(ctx, "whoami", nil, &me); err != nil {
		return err
	}
	fmt.Printf("Signed in as %s of %s\n", me.Username, me.OrganizationName)

	address, err := ethereumAddress(ctx, client)
	if err != nil {
		return err
	}
	fmt.Printf("Address: %s\n", address)

	const message = "Hello from Go"
	signature, err := signMessage(ctx, client, address, message)
	if err != nil {
		return err
	}
	fmt.Printf("Message: %s\nSignature: %s\n", message, signature)
	return nil
}

func connect() (*keyhearth.Client, error) {
	key, err := keyhearth.ReadKeyFile(env("KEYHEARTH_ROOT_KEY", "../../data/root-api-key.json"))
	if err != nil {
		return nil, err
	}
	stamper, err := keyhearth.NewAPIKey(key.APIPublicKey, key.APIPrivateKey)
	if err != nil {
		return nil, err
	}
	organizationID := env("KEYHEARTH_ORGANIZATION_ID", key.OrganizationID)
	return keyhearth.New(env("KEYHEARTH_URL", "http://localhost:3000"), organizationID, stamper)
}

// ethereumAddress finds the account of this example's wallet, or creates the wallet.
func ethereumAddress(ctx context.Context, client *keyhearth.Client) (string, error) {
	var listed struct {
		Wallets []struct{ WalletID, WalletName string }
	}
	if err := client.Query(ctx, "list_wallets", nil, &listed); err != nil {
		return "", err
	}
	for _, wallet := range listed.Wallets {
		if wallet.WalletName == walletName {
			return findAccount(ctx, client, wallet.WalletID)
		}
	}

	var created struct{ Addresses []string }
	_, err := client.Submit(ctx, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", map[string]any{
		"walletName": walletName,
		"accounts": []map[string]string{{
			"curve":         "CURVE_SECP256K1",
			"pathFormat":    "PATH_FORMAT_BIP32",
			"path":          "m/44'/60'/0'/0/0",
			"addressFormat": "ADDRESS_FORMAT_ETHEREUM",
		}},
	}, &created)
	if err != nil {
		return "", err
	}
	if len(created.Addresses) != 1 {
		return "", fmt.Errorf("asked for one account, got %d", len(created.Addresses))
	}
	return created.Addresses[0], nil
}

func findAccount(ctx context.Context, client *keyhearth.Client, walletID string) (string, error) {
	var listed struct {
		Accounts []struct{ Address, AddressFormat string }
	}
	parameters := map[string]any{"walletId": walletID}
	if err := client.Query(ctx, "list_wallet_accounts", parameters, &listed); err != nil {
		return "", err
	}
	for _, account := range listed.Accounts {
		if account.AddressFormat == "ADDRESS_FORMAT_ETHEREUM" {
			return account.Address, nil
		}
	}
	return "", fmt.Errorf("wallet %q has no Ethereum account", walletName)
}

// signMessage signs as Ethereum wallets do (EIP-191) and returns the 65 bytes that libraries expect.
func signMessage(ctx context.Context, client *keyhearth.Client, address, message string) (string, error) {
	payload := fmt.Sprintf("\x19Ethereum Signed Message:\n%d%s", len(message), message)
	var signature struct{ R, S, V string }
	_, err := client.Submit(ctx, "sign_raw_payload", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", map[string]any{
		"signWith":     address,
		"payload":      hex.EncodeToString([]byte(payload)),
		"encoding":     "PAYLOAD_ENCODING_HEXADECIMAL",
		"hashFunction": "HASH_FUNCTION_KECCAK256",
	}, &signature)
	if err != nil {
		return "", err
	}
	// The service says 00 or 01; Ethereum adds 27.
	v := map[string]string{"00": "1b", "01": "1c"}[signature.V]
	if len(signature.R) != 64 || len(signature.S) != 64 || v == "" {
		return "", fmt.Errorf("a signature of an unknown form")
	}
	return "0x" + signature.R + signature.S + v, nil
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
