import { encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import { Cancelled, UnexpectedAnswer } from "../errors/errors.ts";
import { isText, shown } from "../errors/given-values.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { AuthenticatorParamsV2 } from "../generated/types.ts";
import { nativePasskeyError } from "./native-passkey-errors.ts";
import { sha256Hex, utf8 } from "./p256-key.ts";
import { transportsOf } from "./passkeys.ts";
import { randomBytes } from "./randomness.ts";

/**
 * A native module for passkeys, with the options and answers of WebAuthn as JSON (Level 3, 5.1): `react-native-passkeys`,
 * the `Passkey` of `react-native-passkey`, or one of yours.
 */
export type PasskeyModule = {
  get(request: PasskeyRequest): Promise<PasskeyAssertion | null>;
  /** Only for `createNativePasskey`. */
  create?(request: PasskeyCreation): Promise<NewPasskey | null>;
};

/** What a module is asked for. Bytes are in base64url, here and below. */
export type PasskeyRequest = {
  challenge: string;
  rpId: string;
  timeout: number;
  userVerification: UserVerification;
  allowCredentials: PasskeyId[];
};

export type PasskeyAssertion = {
  id: string;
  response: { authenticatorData: string; clientDataJSON: string; signature: string };
};

export type PasskeyCreation = {
  challenge: string;
  rp: { id: string; name: string };
  user: { id: string; name: string; displayName: string };
  pubKeyCredParams: { type: "public-key"; alg: number }[];
  timeout: number;
  authenticatorSelection: {
    residentKey: "required" | "preferred" | "discouraged";
    userVerification: UserVerification;
  };
  attestation: "none";
  excludeCredentials: PasskeyId[];
};

export type NewPasskey = {
  id: string;
  response: { attestationObject: string; clientDataJSON: string; transports?: string[] };
};

type PasskeyId = { type: "public-key"; id: string };
type UserVerification = "required" | "preferred" | "discouraged";

export type NativePasskeyStamperOptions = {
  /** Such as all exports of `react-native-passkeys`. */
  passkeys: PasskeyModule;
  /** The domain of the passkeys, which has to name the app in two files. */
  rpId: string;
  /** The passkeys that may stamp: credential ids in base64url. By default people choose among those on the phone. */
  allowCredentials?: readonly string[];
  /** Whether the phone asks for a PIN, a fingerprint or a face. Default: `preferred`. */
  userVerification?: UserVerification;
  /** How long people may take, in milliseconds. Default: 5 minutes. */
  timeoutMs?: number;
};

/**
 * Stamps with a passkey of the phone, so people see a prompt for each stamp. Throws `Cancelled` if they dismiss it or take
 * too long, `InvalidCredential` if the phone doesn't let the app use passkeys of `rpId`, and `Unsupported` if it has none.
 */
export class NativePasskeyStamper implements Stamper {
  readonly #passkeys: PasskeyModule;
  readonly #request: Omit<PasskeyRequest, "challenge">;

  constructor(options: NativePasskeyStamperOptions) {
    const given = asObject(options);
    const { passkeys, rpId, allowCredentials = [], userVerification = "preferred" } = given;
    check([
      ["passkeys", typeof passkeys?.get === "function", MODULE],
      ["rpId", isDomain(rpId), `${DOMAIN}, but is ${shown(rpId)}`],
      ...idsOf(allowCredentials, "allowCredentials"),
    ]);
    this.#passkeys = passkeys;
    const { timeoutMs: timeout = TIMEOUT_MS } = given;
    const ids = allowCredentials.map(passkeyId);
    this.#request = { rpId, timeout, userVerification, allowCredentials: ids };
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    // The hex text of the body's SHA-256, as bytes: what the signer expects.
    const challenge = encodeBase64Url(utf8(await sha256Hex(body)));
    const { rpId } = this.#request;
    const passkeys = this.#passkeys;
    const answer = await prompt(rpId, () => passkeys.get({ ...this.#request, challenge }));
    const { authenticatorData, clientDataJSON, signature } = asObject(answer.response);
    const stamp = {
      authenticatorData: base64Url(authenticatorData, "response.authenticatorData"),
      clientDataJson: base64Url(clientDataJSON, "response.clientDataJSON"),
      credentialId: base64Url(answer.id, "id"),
      signature: base64Url(signature, "response.signature"),
    };
    return { name: "X-Stamp-Webauthn", value: JSON.stringify(stamp) };
  }
}

export type NativePasskeyOptions = {
  passkeys: PasskeyModule;
  /** The relying party. `id` is the domain that names the app, and cannot change later. */
  rp: { id: string; name: string };
  /** What people see when they choose a passkey. `id` is the user handle; by default it is random. */
  user: { id?: Uint8Array; name: string; displayName?: string };
  /** What the service and its users see. Default: the user's name. */
  authenticatorName?: string;
  /** Default: `preferred`. */
  userVerification?: UserVerification;
  /** Credential ids in base64url. A phone that has one of these passkeys makes no second one. */
  excludeCredentials?: readonly string[];
  /** How long people may take, in milliseconds. Default: 5 minutes. */
  timeoutMs?: number;
};

/**
 * Asks the phone for a new passkey, and returns it as create_sub_organization, create_authenticators and the login proxy
 * take it. Throws what `NativePasskeyStamper` throws, and `Conflict` if the phone has a passkey of `excludeCredentials`.
 */
export async function createNativePasskey(
  options: NativePasskeyOptions,
): Promise<AuthenticatorParamsV2> {
  const { passkeys, rp, user, excludeCredentials = [], ...rest } = asObject(options);
  const { authenticatorName = user?.name, userVerification = "preferred", timeoutMs } = rest;
  const isName = (name: unknown) => isText(name, /./);
  check([
    ["passkeys", typeof passkeys?.create === "function", MODULE],
    ["rp.id", isDomain(rp?.id), `${DOMAIN}, but is ${shown(rp?.id)}`],
    ["rp.name", isName(rp?.name), SEEN],
    ["user.name", isName(user?.name), SEEN],
    ...idsOf(excludeCredentials, "excludeCredentials"),
  ]);
  const { name, displayName = name, id = randomBytes(16) } = user;
  const challenge = encodeBase64Url(randomBytes(32));
  const creation: PasskeyCreation = {
    challenge,
    rp: { id: rp.id, name: rp.name },
    user: { id: encodeBase64Url(id), name, displayName },
    pubKeyCredParams: [-7, -257].map((alg) => ({ type: "public-key", alg })),
    timeout: timeoutMs ?? TIMEOUT_MS,
    authenticatorSelection: { residentKey: "preferred", userVerification },
    attestation: "none",
    excludeCredentials: excludeCredentials.map(passkeyId),
  };
  const answer = await prompt(rp.id, async () => (await passkeys.create?.(creation)) ?? null);
  const { attestationObject, clientDataJSON, transports } = asObject(answer.response);
  const attestation = {
    credentialId: base64Url(answer.id, "id"),
    clientDataJson: base64Url(clientDataJSON, "response.clientDataJSON"),
    attestationObject: base64Url(attestationObject, "response.attestationObject"),
    transports: transportsOf(Array.isArray(transports) ? transports : []),
  };
  return { authenticatorName, challenge, attestation };
}

const TIMEOUT_MS = 300_000;
const MODULE =
  "must be a native module for passkeys with get and create, such as all exports of react-native-passkeys";
const DOMAIN = "must be the domain of the passkeys, such as example.com, without https://";
const SEEN = "must be text that people see when they choose a passkey";

function isDomain(name: unknown): boolean {
  return isText(name, /^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/i);
}

function idsOf(ids: readonly unknown[], field: string): [string, boolean, string][] {
  const message = "must be a credential id in base64url without padding";
  return [...ids].map((id, at) => [`${field}[${at}]`, isText(id, /^[\w-]+$/), message]);
}

function check(rules: [string, boolean, string][]): void {
  const wrong = rules.filter(([, isRight]) => !isRight);
  if (wrong.length === 0) return;
  throw invalidFields(...wrong.map(([field, , message]) => ({ field, message })));
}

function passkeyId(id: string): PasskeyId {
  return { type: "public-key", id };
}

/** Shows a prompt. Some modules answer with null if people dismiss it, and some throw. */
async function prompt<Answer>(rpId: string, show: () => Promise<Answer | null>): Promise<Answer> {
  const answer = await Promise.resolve()
    .then(show)
    .catch((cause: unknown) => {
      throw nativePasskeyError(cause, rpId);
    });
  if (answer) return answer;
  throw new Cancelled(
    "The passkey prompt was dismissed. Let the user try again, or offer another login",
    { code: "CANCELLED" },
  );
}

/** What a module answers in either form of base64. */
function base64Url(text: unknown, field: string): string {
  if (isText(text, /^[\w+/-]+=*$/)) {
    return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  }
  throw new UnexpectedAnswer(
    `The native module answered without ${field} in base64url. Look for a newer version of it, or use react-native-passkeys`,
    { code: "INVALID_RESPONSE" },
  );
}
