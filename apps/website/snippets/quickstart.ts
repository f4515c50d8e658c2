import assert from "node:assert/strict";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { recoverEthereumAddress } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, apiPublicKey, apiPrivateKey } = await readApiKeyFile(rootKeyFile);

const client = new KeyhearthClient({
  baseUrl,
  organizationId,
  stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }),
});

// Ask the server which user this key belongs to.
const me = await client.whoami();
console.log(`Signed in as ${me.username} of ${me.organizationName}`);

// Wallet names are unique within an organization, so each run uses a new one.
const { walletId, addresses } = await client.createWallet({
  walletName: `Quickstart ${new Date().toISOString()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
});
const address = addresses[0];
console.log(`Created wallet ${walletId} with address ${address}`);

const payload = "Hello from Keyhearth";
const { r, s, v } = await client.signRawPayload({
  signWith: address,
  payload,
  encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
  hashFunction: "HASH_FUNCTION_KECCAK256",
});
console.log(`Signed "${payload}": r=${r} s=${s} v=${v}`);

// Anyone who has the payload and the signature can find out which address signed.
const recovered = recoverEthereumAddress({ payload, r, s, v });
assert.equal(recovered, address);
console.log(`The signature recovers to ${recovered}`);
