import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { proxyHandler, readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";

const forward = proxyHandler({ baseUrl, allow: ["query/whoami", "submit/sign_raw_payload"] });
const kept: string[] = [];

/** Your server: a handler of `Request`, as many frameworks have it. */
async function handle(request: Request): Promise<Response> {
  // A copy is read. The proxy gets the bytes as the user stamped them.
  const { type, parameters } = await request.clone().json();
  if (parameters?.payload === "everything I own") {
    return Response.json(
      { code: 7, message: "not through this app", details: [] },
      { status: 403 },
    );
  }
  const answer = await forward(request);
  const { activity } = await answer.clone().json();
  if (activity) kept.push(`${type}: ${activity.status}`);
  return answer;
}

// A user, who sends everything through your server. The wallet was made before.
const { organizationId, ...key } = await readApiKeyFile(rootKeyFile);
const direct = { baseUrl, organizationId, stamper: new ApiKeyStamper(key) };
const wallet = await new KeyhearthClient(direct).createWallet({
  walletName: `Wallet ${crypto.randomUUID()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
});
const user = new KeyhearthClient({
  ...direct,
  baseUrl: "https://app.example.com/keyhearth",
  fetch: (url, init) => handle(new Request(url, init)),
});

for (const payload of ["hello", "everything I own"]) {
  try {
    await user.signRawPayload({
      signWith: wallet.addresses[0],
      payload,
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    });
    console.log(`Signed "${payload}"`);
  } catch (error) {
    console.log(`Refused "${payload}": ${error instanceof Error ? error.name : error}`);
  }
}
console.log(kept.join("\n"));
