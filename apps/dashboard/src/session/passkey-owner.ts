import { Cancelled, InvalidCredential } from "@keyhearth/sdk";
import { organizationOfHandle } from "./user-handle.ts";

/**
 * Asks for any passkey of this page, to learn whose it is. What it signs is random and goes nowhere: the login that follows
 * asks again, because a stamp is about a request to one organization.
 */
export async function askForPasskey(): Promise<{ credentialId: string; organizationId: string }> {
  const challenge = crypto.getRandomValues(new Uint8Array(32));
  const options = { challenge, userVerification: "preferred", timeout: 300_000 } as const;
  const credential = await navigator.credentials.get({ publicKey: options }).catch((cause) => {
    throw new Cancelled("No passkey was chosen. Try again, or enter the id of your organization", {
      code: "CANCELLED",
      cause,
    });
  });
  const { encodeBase64Url } = await import("@keyhearth/crypto/encoding/bytes");
  // A request with `publicKey` is answered with an assertion (WebAuthn L2, 5.1.4).
  const { rawId, response } = credential as PublicKeyCredential & {
    response: AuthenticatorAssertionResponse;
  };
  const organizationId = organizationOfHandle(response.userHandle);
  if (organizationId === undefined) {
    throw new InvalidCredential(
      "This passkey does not say where it belongs, because it founded its organization or was made elsewhere. Enter the id of the organization, or open the link that you got when it was created",
      { code: "INVALID_CREDENTIAL" },
    );
  }
  return { credentialId: encodeBase64Url(new Uint8Array(rawId)), organizationId };
}
