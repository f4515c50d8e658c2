import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { parseAttestationObject } from "@keyhearth/crypto/webauthn/attestation";
import { rsaSizeOf } from "@keyhearth/crypto/webauthn/certificate";
import { parseClientData } from "@keyhearth/crypto/webauthn/webauthn";
import type { ExchangeOutcome } from "./code-exchanges.ts";

/** What an authenticator says about itself when it makes a passkey, as the request contains it. */
export type Statement = { credentialId: string; clientDataJson: string; attestationObject: string };

/**
 * Which statements and tokens verify, by name, or why one does not, and whom a code is about. One that is missing has not
 * been looked at yet.
 */
export type Verdicts = ReadonlyMap<string, boolean | string | ExchangeOutcome>;

/** Thrown if statements or OpenID Connect tokens have to be verified before a request can be handled. */
export class UnverifiedStatements extends Error {
  readonly statements: readonly Statement[];
  readonly tokens: readonly string[];

  constructor(statements: readonly Statement[], tokens: readonly string[] = []) {
    super("attestation statements or tokens must be verified first");
    this.name = "UnverifiedStatements";
    this.statements = statements;
    this.tokens = tokens;
  }
}

/** The formats of statements that are verified. `none` says nothing. */
export const STATEMENT_FORMATS = ["none", "packed", "apple", "android-key", "fido-u2f", "tpm"];

/** The whole text of a statement, so that a verdict counts for exactly this statement. */
export function statementName({
  credentialId,
  clientDataJson,
  attestationObject,
}: Statement): string {
  return `${credentialId}.${clientDataJson}.${attestationObject}`;
}

/** The whole text of a token. No statement has a colon in its name. */
export function tokenName(token: string): string {
  return `oidc-token:${token}`;
}

/** The name of the exchange of a code. */
export function exchangeName(name: string): string {
  return `code-exchange:${name}`;
}

/**
 * Verifies statements, by a library that works asynchronously. The verdicts depend on nothing except
 * the statements and the date. The library is loaded when it is first needed, because most passkeys
 * have no statement.
 */
export async function verifyStatements(
  statements: readonly Statement[],
): Promise<ReadonlyMap<string, boolean>> {
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const verdicts = new Map<string, boolean>();
  for (const statement of statements) {
    const { credentialId: id, clientDataJson: clientDataJSON, attestationObject } = statement;
    try {
      assertQuickToVerify(attestationObject);
      const { origin } = parseClientData(decodeBase64Url(clientDataJSON));
      const { verified } = await verifyRegistrationResponse({
        response: {
          id,
          rawId: id,
          type: "public-key",
          response: { clientDataJSON, attestationObject },
          clientExtensionResults: {},
        },
        // The core has checked these and the format before.
        expectedChallenge: () => true,
        expectedOrigin: String(origin),
        requireUserVerification: false,
        supportedAlgorithmIDs: [-7, -257],
      });
      verdicts.set(statementName(statement), verified);
    } catch {
      verdicts.set(statementName(statement), false);
    }
  }
  return verdicts;
}

/**
 * With an exponent as long as the modulus, verifying takes as long as signing: a quarter of a second for six certificates,
 * on threads whose time nobody is charged for. Makers of authenticators use exponents of up to four bytes.
 */
function assertQuickToVerify(attestationObject: string) {
  for (const certificate of parseAttestationObject(decodeBase64Url(attestationObject))
    .certificates) {
    const { modulusBytes, exponentBytes } = rsaSizeOf(certificate) ?? NO_RSA;
    if (modulusBytes > 512 || exponentBytes > 4) throw new Error("a certificate with a costly key");
  }
}

const NO_RSA = { modulusBytes: 0, exponentBytes: 0 };
