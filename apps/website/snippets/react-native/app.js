import { Connection, signRawPayload, whoami } from "@keyhearth/sdk";
import { PortableApiKeyStamper } from "@keyhearth/sdk/stampers/api-key-portable";

/** `apiKey` is the key of a session, which the app keeps in the phone's secure storage. */
export async function signHello({ baseUrl, organizationId, signWith, ...apiKey }) {
  const stamper = new PortableApiKeyStamper(apiKey);
  const connection = new Connection({ baseUrl, organizationId, stamper });
  const { username } = await whoami(connection);
  const { r, s, v } = await signRawPayload(connection, {
    signWith,
    payload: "hello from a phone",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  return { username, r, s, v };
}
