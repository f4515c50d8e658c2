import { decodeBase64Url, encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { compressedPublicKey } from "@keyhearth/crypto/keys/keys";
import {
  type AttestationObject,
  type AttestedCredential,
  parseAttestationObject,
  readAttestedCredential,
} from "@keyhearth/crypto/webauthn/attestation";
import { decodeCoseKey } from "@keyhearth/crypto/webauthn/cose";
import { isFromRelyingParty, parseClientData } from "@keyhearth/crypto/webauthn/webauthn";
import { type ApiError, invalid, shorten } from "../errors.ts";
import type { AuthenticatorParamsV2 } from "../fields/credentials.ts";
import type { Authenticator } from "../records/organization.ts";
import {
  exchangeName,
  STATEMENT_FORMATS,
  type Statement,
  statementName,
  tokenName,
  UnverifiedStatements,
  type Verdicts,
} from "./attestation-statements.ts";
import { type CodeExchange, type ExchangeOutcome, UnexchangedCode } from "./code-exchanges.ts";
import { organizationOfIssuer, saysOauth2 } from "./oauth2-tokens.ts";
import { type OidcClaims, parseOidcToken, refusedToken } from "./oidc-tokens.ts";
import { keyNameOf } from "./taken-keys.ts";

/** A passkey as its authenticator made it. */
export type NewPasskey = Pick<
  Authenticator,
  "credentialId" | "credential" | "keyName" | "transports" | "attestationType" | "aaguid"
>;

/** The passkeys that a request registers, the OpenID Connect tokens in it, and the code that it exchanges. */
export type Registrations = {
  /** Reads what an authenticator returned. Refuses, by field, what is malformed or not allowed. */
  read(params: AuthenticatorParamsV2, field: string): NewPasskey;
  /** Reads a token. Refuses it, by field, once it is known not to verify. */
  readToken(token: string, field: string): OidcClaims;
  /** Whom a code is about. Asks for the exchange under this name, if there was none. */
  exchange(name: string, make: () => Omit<CodeExchange, "name">): ExchangeOutcome;
  /** Asks for verdicts on the tokens that were read so far, if there are none. */
  assertTokensSeen(): void;
  /** Refuses a statement that does not verify. Called once everything has been read. */
  assertVerified(): void;
};

/** Each takes some milliseconds to verify. Passkeys without a statement do not count. */
const MAX_STATEMENTS = 10;

/** Every certificate may be the issuer of every other one, so the work grows with the square. */
const MAX_CERTIFICATES = 6;

/** Each may need the keys of another issuer. */
const MAX_TOKENS = 10;

/** Which tokens the core made itself, about people of providers that only speak OAuth 2.0. */
export type OwnTokens = {
  isOwn(token: string): boolean;
  /** Whether those of this organization count here. */
  countsFrom(organizationId: string): boolean;
  /** Whether votes decide about the request that gave the token, so that what it gave at once before is void. */
  isVoid(organizationId: string, request: string | undefined): boolean;
};

export function createRegistrations({
  origins,
  verdicts,
  nowMs,
  own,
}: {
  /** The pages that may register passkeys. Throws if they are unknown. */
  origins: () => readonly string[];
  verdicts: Verdicts;
  nowMs: number;
  /** Without it, none count. */
  own?: OwnTokens;
}): Registrations {
  // Handlers read each passkey again after the check. Errors name the field of the first reading.
  const read = new Map<string, { statement: Statement; field: string }>();
  const tokens = new Set<string>();
  const unseen = () => [...tokens].filter((token) => !verdicts.has(tokenName(token)));
  return {
    read(params, field) {
      const at = `${field}.attestation`;
      const { attestation } = params;
      const { object, passkey } = readAttestation(params, at, origins());
      if (!STATEMENT_FORMATS.includes(object.format)) {
        throw refused(
          `${at}.attestationObject`,
          `its format is \`${shorten(object.format)}\`; accepted: ${STATEMENT_FORMATS.join(", ")}`,
        );
      }
      if (object.format === "none") {
        if (!object.hasStatement) return passkey;
        throw refused(`${at}.attestationObject`, "the format `none` has an empty statement");
      }
      if (object.certificates.length > MAX_CERTIFICATES) {
        throw refused(
          `${at}.attestationObject`,
          `its statement has ${object.certificates.length} certificates, and may have ${MAX_CERTIFICATES}`,
        );
      }
      const name = statementName(attestation);
      if (!read.has(name)) read.set(name, { statement: attestation, field: at });
      if (read.size > MAX_STATEMENTS) {
        throw refused(
          `${at}.attestationObject`,
          `a request may have ${MAX_STATEMENTS} attestation statements; register the passkey without one (attestation \`none\`), or in another request`,
        );
      }
      return passkey;
    },
    readToken(token, field) {
      const claims = parseOidcToken(token, field, nowMs);
      if (saysOauth2(claims)) {
        assertOwn(own, token, claims, field);
        return claims;
      }
      if (tokens.size >= MAX_TOKENS && !tokens.has(token)) {
        throw refusedToken(field, `a request may have ${MAX_TOKENS} tokens; send several requests`);
      }
      tokens.add(token);
      const verdict = verdicts.get(tokenName(token)) ?? true;
      if (verdict === true) return claims;
      throw refusedToken(field, typeof verdict === "string" ? verdict : "it does not verify");
    },
    exchange(name, make) {
      const outcome = verdicts.get(exchangeName(name));
      if (typeof outcome === "object") return outcome;
      throw new UnexchangedCode({ name, ...make() });
    },
    assertTokensSeen() {
      const unknown = unseen();
      if (unknown.length > 0) throw new UnverifiedStatements([], unknown);
    },
    assertVerified() {
      const unknown = [...read].filter(([name]) => !verdicts.has(name));
      const unknownTokens = unseen();
      if (unknown.length > 0 || unknownTokens.length > 0) {
        const statements = unknown.map(([, { statement }]) => statement);
        throw new UnverifiedStatements(statements, unknownTokens);
      }
      for (const [name, { field }] of read) {
        if (verdicts.get(name) !== true) {
          throw refused(`${field}.attestationObject`, "its statement does not verify");
        }
      }
    },
  };
}

/** The core has the key, so it needs no verdict. */
function assertOwn(
  own: OwnTokens | undefined,
  token: string,
  { issuer, tokenId }: Pick<OidcClaims, "issuer" | "tokenId">,
  field: string,
) {
  if (!own?.isOwn(token)) throw refusedToken(field, "this service did not sign it");
  const organizationId = organizationOfIssuer(issuer);
  if (organizationId === undefined || !own.countsFrom(organizationId)) {
    throw refusedToken(field, "it was made for another organization");
  }
  if (own.isVoid(organizationId, tokenId)) {
    throw refusedToken(field, "it is not what votes decided: exchange a new code");
  }
}

function readAttestation(
  { challenge, attestation }: AuthenticatorParamsV2,
  field: string,
  origins: readonly string[],
): { object: AttestationObject; passkey: NewPasskey } {
  const clientDataAt = `${field}.clientDataJson`;
  const clientDataJson = attempt(() => decodeBase64Url(attestation.clientDataJson), clientDataAt);
  const clientData = attempt(() => parseClientData(clientDataJson), clientDataAt);
  // WebAuthn L2, 7.1 steps 7 and 8.
  if (clientData.type !== "webauthn.create") {
    throw refused(clientDataAt, "its `type` must be webauthn.create");
  }
  if (clientData.challenge !== challenge) {
    throw refused(clientDataAt, "its `challenge` must be the `challenge` given");
  }
  const objectAt = `${field}.attestationObject`;
  const object = attempt(
    () => parseAttestationObject(decodeBase64Url(attestation.attestationObject)),
    objectAt,
  );
  const made = attempt(() => readAttestedCredential(object.authenticatorData), objectAt);
  const credentialId = encodeBase64Url(made.credentialId);
  if (credentialId !== attestation.credentialId) {
    throw refused(`${field}.credentialId`, "the attestation object is that of another credential");
  }
  // WebAuthn L2, 7.1 step 14. Requiring user verification is up to the client.
  if (!made.isUserPresent) throw refused(objectAt, "the user was not present");
  attempt(() => checkPoint(made.publicKey), objectAt);
  // WebAuthn L2, 7.1 steps 9 and 13.
  if (!isFromRelyingParty(clientDataJson, object.authenticatorData, origins)) {
    throw refused(
      clientDataAt,
      `its origin, or the relying party's id, is not one of this organization, which allows ${origins.join(", ") || "none"}`,
    );
  }
  return { object, passkey: passkeyOf(object, made, attestation.transports) };
}

function passkeyOf(
  { format }: AttestationObject,
  { credentialId, publicKey, aaguid }: AttestedCredential,
  transports: string[],
): NewPasskey {
  return {
    credentialId: encodeBase64Url(credentialId),
    credential: {
      publicKey: encodeBase64Url(publicKey),
      type: "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR",
    },
    keyName: keyNameOf(publicKey),
    transports: [...new Set(transports)],
    attestationType: format,
    aaguid: encodeBase64Url(aaguid),
  };
}

/** Throws if the point of the key is not on its curve. */
function checkPoint(cosePublicKey: Uint8Array) {
  const key = decodeCoseKey(cosePublicKey);
  if (key.algorithm === "ES256") compressedPublicKey("CURVE_P256", key.publicKey);
}

function attempt<T>(read: () => T, field: string): T {
  try {
    return read();
  } catch {
    throw refused(field, "it is malformed");
  }
}

function refused(field: string, why: string): ApiError {
  return invalid(field, `invalid authenticator attestation: \`${field}\`: ${why}`);
}
