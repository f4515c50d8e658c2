import { KeyhearthClient } from "@keyhearth/sdk";
import { NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";
import { signUp } from "./sign-up";

// Runs on your server, with the key of your own organization. The browser never sees this key.

export async function POST(request: Request): Promise<Response> {
  const { organizationId, ...key } = await readApiKeyFile(process.env.KEYHEARTH_ROOT_KEY ?? "");
  const baseUrl = process.env.NEXT_PUBLIC_KEYHEARTH_URL ?? "";
  const quorumPublicKey = process.env.NEXT_PUBLIC_QUORUM_PUBLIC_KEY;
  const client = new KeyhearthClient({
    ...{ baseUrl, organizationId, stamper: new NodeApiKeyStamper(key) },
    ...(quorumPublicKey && { quorumPublicKey }),
  });
  return signUp(client, request);
}
