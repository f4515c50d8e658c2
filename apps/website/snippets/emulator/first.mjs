import { startEmulator } from "@keyhearth/cli/emulator";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";

const emulator = await startEmulator();
const { organizationId, ...apiKey } = emulator.organization;
const client = new KeyhearthClient({
  baseUrl: emulator.url,
  organizationId,
  stamper: new ApiKeyStamper(apiKey),
});
const { addresses } = await client.createWallet({
  walletName: "First",
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
});
const signature = await client.signRawPayload({
  signWith: addresses[0],
  payload: "hello, hearth",
  encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
  hashFunction: "HASH_FUNCTION_KECCAK256",
});
console.log(JSON.stringify({ address: addresses[0], ...signature }));
await emulator.close();
