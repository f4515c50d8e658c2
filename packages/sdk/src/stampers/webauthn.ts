import { decodeBase64Url, encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { InvalidCredential } from "../errors/errors.ts";
import { sha256Hex, utf8 } from "./p256-key.ts";
import { bytesOf, passkeyError, passkeys } from "./passkeys.ts";

export type WebAuthnStamperOptions = {
  /** The relying party: the page's domain, or a parent domain of it. Default: the page's domain. */
  rpId?: string;
  /** How long people may take, in milliseconds. Default: 5 minutes. */
  timeoutMs?: number;
  /** Whether the authenticator asks for a PIN, a fingerprint or a face. Default: `preferred`. */
  userVerification?: UserVerificationRequirement;
  /**
   * The passkeys that may stamp: their credential ids in base64url, or descriptors. By default people
   * choose among the passkeys that their devices have for this relying party.
   */
  allowCredentials?: readonly (string | PublicKeyCredentialDescriptor)[];
  /** Ends the prompt when it aborts. */
  signal?: AbortSignal;
};

/**
 * Stamps with a passkey, so people see a prompt for each stamp. Throws `Cancelled` if they dismiss it or
 * take too long, `InvalidCredential` if an id is malformed or the page may not use passkeys of `rpId`, and
 * `Unsupported` without WebAuthn.
 */
export class WebAuthnStamper implements Stamper {
  readonly #options: WebAuthnStamperOptions;
  readonly #allowCredentials: PublicKeyCredentialDescriptor[];

  constructor(options: WebAuthnStamperOptions = {}) {
    const given = asObject(options);
    this.#options = given;
    this.#allowCredentials = (given.allowCredentials ?? []).map(descriptorOf);
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    const { rpId, timeoutMs = 300_000, userVerification = "preferred", signal } = this.#options;
    const container = passkeys();
    const publicKey: PublicKeyCredentialRequestOptions = {
      challenge: await challengeOf(body),
      timeout: timeoutMs,
      userVerification,
      allowCredentials: this.#allowCredentials,
      ...(rpId === undefined ? {} : { rpId }),
    };
    const request = { publicKey, ...(signal ? { signal } : {}) };
    const credential = await container.get(request).catch((cause: unknown) => {
      throw passkeyError(cause, rpId);
    });
    return { name: "X-Stamp-Webauthn", value: JSON.stringify(stampOf(credential)) };
  }
}

/** The hex text of the body's SHA-256, as bytes: what the signer expects. */
async function challengeOf(body: string): Promise<Uint8Array<ArrayBuffer>> {
  return utf8(await sha256Hex(body));
}

function descriptorOf(
  credential: string | PublicKeyCredentialDescriptor,
  index: number,
): PublicKeyCredentialDescriptor {
  if (typeof credential !== "string") return credential;
  try {
    return { type: "public-key", id: new Uint8Array(decodeBase64Url(credential)) };
  } catch {
    const field = `allowCredentials[${index}]`;
    throw new InvalidCredential(`${field} must be a credential id in base64url without padding`, {
      code: "INVALID_CREDENTIAL",
      field,
    });
  }
}

function stampOf(credential: Credential | null) {
  // A request with `publicKey` is answered with an assertion (WebAuthn L2, 5.1.4).
  const { rawId, response } = credential as PublicKeyCredential & {
    response: AuthenticatorAssertionResponse;
  };
  const { authenticatorData, clientDataJSON, signature } = response;
  return {
    authenticatorData: encodeBase64Url(bytesOf(authenticatorData)),
    clientDataJson: encodeBase64Url(bytesOf(clientDataJSON)),
    credentialId: encodeBase64Url(bytesOf(rawId)),
    signature: encodeBase64Url(bytesOf(signature)),
  };
}
