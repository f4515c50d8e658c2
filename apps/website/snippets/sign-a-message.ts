import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);

const client = new KeyhearthClient({
  baseUrl,
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { addresses } = await client.createWallet({
  walletName: `Treasury ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
});

const { r, s, v } = await client.signRawPayload({
  signWith: addresses[0],
  payload: "hello, hearth",
  encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
  hashFunction: "HASH_FUNCTION_KECCAK256",
});

console.log({ address: addresses[0], r, s, v });
