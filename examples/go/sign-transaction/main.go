// This program creates a wallet with one Ethereum account and signs a transaction with it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"keyhearth.example/go/keyhearth"
)

// 0.01 ETH on Sepolia, nonce 0, in RLP. A real program builds it with its Ethereum library.
const unsignedTransaction = "02f283aa36a780843b9aca008504a817c80082520894" +
	"d8da6bf26964af9d7eed9e03e53415d37aa96045872386f26fc1000080c0"

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	key, err := keyhearth.ReadKeyFile(env("KEYHEARTH_ROOT_KEY", "../../data/root-api-key.json"))
	if err != nil {
		return err
	}
	stamper, err := keyhearth.NewAPIKey(key.APIPublicKey, key.APIPrivateKey)
	if err != nil {
		return err
	}
	client, err := keyhearth.New(env("KEYHEARTH_URL", "http://localhost:3000"), key.OrganizationID, stamper)
	if err != nil {
		return err
	}

	var wallet struct{ Addresses []string }
	_, err = client.Submit(ctx, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", map[string]any{
		"walletName": "Payouts " + time.Now().Format(time.RFC3339Nano),
		"accounts": []map[string]string{{
			"curve":         "CURVE_SECP256K1",
			"pathFormat":    "PATH_FORMAT_BIP32",
			"path":          "m/44'/60'/0'/0/0",
			"addressFormat": "ADDRESS_FORMAT_ETHEREUM",
		}},
	}, &wallet)
	if err != nil {
		return err
	}
	if len(wallet.Addresses) != 1 {
		return fmt.Errorf("asked for one account, got %d", len(wallet.Addresses))
	}
	fmt.Printf("Address: %s\n", wallet.Addresses[0])

	var signed struct{ SignedTransaction string }
	_, err = client.Submit(ctx, "sign_transaction", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", map[string]any{
		"signWith":            wallet.Addresses[0],
		"type":                "TRANSACTION_TYPE_ETHEREUM",
		"unsignedTransaction": unsignedTransaction,
	}, &signed)
	if err != nil {
		return err
	}
	fmt.Printf("Signed transaction: 0x%s\n", signed.SignedTransaction)
	return nil
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
