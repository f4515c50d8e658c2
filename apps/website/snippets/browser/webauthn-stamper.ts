import { Cancelled, Connection, whoami } from "@keyhearth/sdk";
import { WebAuthnStamper } from "@keyhearth/sdk/stampers/webauthn";

export async function showUser(baseUrl: string, organizationId: string): Promise<string> {
  const stamper = new WebAuthnStamper({ rpId: location.hostname });
  const connection = new Connection({ baseUrl, organizationId, stamper });
  try {
    const { username } = await whoami(connection);
    return `You are ${username}`;
  } catch (error) {
    if (error instanceof Cancelled) return "No passkey was used. Try again?";
    throw error;
  }
}
