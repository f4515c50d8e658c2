import { ApiKeyStamper, SignatureFormat } from "@turnkey/api-key-stamper";
import {
  decryptCredentialBundle,
  encryptOtpCodeToBundle,
  generateP256KeyPair,
  getPublicKey,
} from "@turnkey/crypto";
import { TurnkeyClient } from "@turnkey/http";
import { WebauthnStamper } from "@turnkey/webauthn-stamper";

// What an app does in the browser of somebody who logs in, with the unmodified packages. It is bundled
// and runs in a page.

type Key = { publicKey: string; publicKeyUncompressed: string; privateKey: string };
type Wallet = { organizationId: string; signWith: string };

const baseUrl = location.origin;
const now = () => String(Date.now());

function stamperOf({ publicKey, privateKey }: Key) {
  return new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
}

async function signWith(client: TurnkeyClient, { organizationId, signWith }: Wallet) {
  const { activity } = await client.signRawPayload({
    type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    timestampMs: now(),
    organizationId,
    parameters: {
      signWith,
      payload: "hello",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    },
  });
  return activity.result.signRawPayloadResult?.r ?? activity.status;
}

const encode = (bytes: ArrayBuffer | Uint8Array) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Makes a passkey, in the form of the parameters. */
async function register(name: string) {
  const challenge = crypto.getRandomValues(new Uint8Array(32));
  const created = await navigator.credentials.create({
    publicKey: {
      rp: { id: location.hostname, name: "Keyhearth" },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name, displayName: name },
      challenge,
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
    },
  });
  // A creation with `publicKey` gives a credential of this kind.
  const credential = created as PublicKeyCredential;
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    rawId: new Uint8Array(credential.rawId),
    authenticator: {
      authenticatorName: name,
      challenge: encode(challenge),
      attestation: {
        credentialId: encode(credential.rawId),
        clientDataJson: encode(response.clientDataJSON),
        attestationObject: encode(response.attestationObject),
        transports: ["AUTHENTICATOR_TRANSPORT_INTERNAL" as const],
      },
    },
  };
}

export const logins = {
  newKey: (): Key => generateP256KeyPair(),

  encryptCode: encryptOtpCodeToBundle,

  /** Spends a verification token: the key that it names signs the key of the session. */
  async spend(key: Key, tokenId: string, publicKey: string) {
    const message = JSON.stringify({ login: { publicKey }, tokenId, type: "USAGE_TYPE_LOGIN" });
    return {
      publicKey: key.publicKey,
      scheme: "CLIENT_SIGNATURE_SCHEME_API_P256" as const,
      message,
      signature: await stamperOf(key).sign(message, SignatureFormat.Raw),
    };
  },

  sign: (key: Key, wallet: Wallet) =>
    signWith(new TurnkeyClient({ baseUrl }, stamperOf(key)), wallet),

  /** Opens what the mail brought, and registers a passkey with the key in it. */
  async recover(bundle: string, key: Key, { userId, ...wallet }: Wallet & { userId: string }) {
    const privateKey = decryptCredentialBundle(bundle, key.privateKey);
    const publicKey = encodeHex(getPublicKey(privateKey, true));
    const recovery = stamperOf({ publicKey, privateKey, publicKeyUncompressed: "" });
    const { rawId, authenticator } = await register("Ada");
    const { activity } = await new TurnkeyClient({ baseUrl }, recovery).recoverUser({
      type: "ACTIVITY_TYPE_RECOVER_USER",
      timestampMs: now(),
      organizationId: wallet.organizationId,
      parameters: { userId, authenticator },
    });
    if (activity.status !== "ACTIVITY_STATUS_COMPLETED") return activity.status;
    const allowCredentials = [{ type: "public-key" as const, id: rawId }];
    const stamper = new WebauthnStamper({ rpId: location.hostname, allowCredentials });
    return signWith(new TurnkeyClient({ baseUrl }, stamper), wallet);
  },

  /** Logs in with the bundle of a mail, and signs with the key in it. */
  openAndSign(bundle: string, key: Key, wallet: Wallet) {
    const privateKey = decryptCredentialBundle(bundle, key.privateKey);
    const publicKey = encodeHex(getPublicKey(privateKey, true));
    return logins.sign({ publicKey, privateKey, publicKeyUncompressed: "" }, wallet);
  },
};

function encodeHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

declare global {
  interface Window {
    logins: typeof logins;
  }
}

window.logins = logins;
