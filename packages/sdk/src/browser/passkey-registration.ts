import { encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { asObject } from "../errors/as-object.ts";
import { InvalidCredential, Unsupported } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { AuthenticatorParamsV2 } from "../generated/types.ts";
import { subtle } from "../stampers/p256-key.ts";
import { bytesOf, passkeyError, passkeys, transportsOf } from "../stampers/passkeys.ts";
import { fromBase64Url } from "./base64.ts";

export type PasskeyOptions = {
  /** The relying party. `id` is the page's domain or a parent domain of it, and cannot change later. */
  rp: { id?: string; name: string };
  /**
   * What people see when they choose a passkey. `id` is the user handle; by default it is random,
   * because another passkey with the same handle is replaced.
   */
  user: { id?: Uint8Array; name: string; displayName?: string };
  /** What the service and its users see. Default: the user's name. */
  authenticatorName?: string;
  /** In base64url. Default: 32 random bytes. */
  challenge?: string;
  /** How long people may take, in milliseconds. Default: 5 minutes. */
  timeoutMs?: number;
  /** Default: the passkey can be found without its id if the authenticator can do that. */
  authenticatorSelection?: AuthenticatorSelectionCriteria;
  /** Whether to ask for a statement about the authenticator's model. Default: `none`. */
  attestation?: AttestationConveyancePreference;
  /** Credential ids in base64url. An authenticator that has one of these passkeys makes no second one. */
  excludeCredentials?: readonly string[];
  /** Ends the prompt when it aborts. */
  signal?: AbortSignal;
};

/**
 * Asks for a new passkey, and returns it as create_sub_organization, create_authenticators, create_users
 * and create_organization take it. Throws `Cancelled` if people dismiss the prompt, `Conflict` if the
 * authenticator has a passkey of `excludeCredentials`, `InvalidCredential` if the page may not use
 * passkeys of `rp.id`, and `Unsupported` without WebAuthn.
 */
export async function createPasskey(options: PasskeyOptions): Promise<AuthenticatorParamsV2> {
  const { rp, user, authenticatorName = user?.name, signal } = asObject(options);
  if (typeof rp?.name !== "string" || typeof user?.name !== "string") {
    throw invalidFields({
      field: typeof rp?.name === "string" ? "user.name" : "rp.name",
      message: "must be text that people see when they choose a passkey",
    });
  }
  subtle();
  const container = passkeys();
  const challenge = options.challenge ?? encodeBase64Url(random(32));
  const publicKey: PublicKeyCredentialCreationOptions = {
    rp,
    user: {
      id: new Uint8Array(user.id ?? random(16)),
      name: user.name,
      displayName: user.displayName ?? user.name,
    },
    challenge: required(challenge, "challenge"),
    pubKeyCredParams: [-7, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: options.timeoutMs ?? 300_000,
    authenticatorSelection: options.authenticatorSelection ?? { residentKey: "preferred" },
    attestation: options.attestation ?? "none",
    excludeCredentials: (options.excludeCredentials ?? []).map((id) => ({
      type: "public-key",
      id: required(id, "excludeCredentials"),
    })),
  };
  const request = { publicKey, ...(signal ? { signal } : {}) };
  const credential = await container.create(request).catch((cause: unknown) => {
    throw passkeyError(cause, rp.id);
  });
  return { authenticatorName, challenge, attestation: attestationOf(credential) };
}

function attestationOf(credential: Credential | null): AuthenticatorParamsV2["attestation"] {
  // A creation with `publicKey` is answered with an attestation (WebAuthn L2, 5.1.3).
  const { rawId, response } = credential as PublicKeyCredential & {
    response: AuthenticatorAttestationResponse;
  };
  if (!response?.attestationObject) {
    throw new Unsupported("The browser made no passkey. Offer another login", {
      code: "UNSUPPORTED",
    });
  }
  return {
    credentialId: encodeBase64Url(bytesOf(rawId)),
    clientDataJson: encodeBase64Url(bytesOf(response.clientDataJSON)),
    attestationObject: encodeBase64Url(bytesOf(response.attestationObject)),
    transports: transportsOf(response.getTransports?.() ?? []),
  };
}

function random(length: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(length));
}

function required(text: string, field: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64Url(text);
  if (bytes?.length) return bytes;
  throw new InvalidCredential(`${field} must be base64url without padding`, {
    code: "INVALID_CREDENTIAL",
    field,
  });
}
