import { decodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import { secret } from "@keyhearth/crypto/secret";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { ApiError, alreadyExists, invalid, shorten } from "../errors.ts";
import {
  EncryptedClientSecret,
  MAX_CLIENT_SECRET_BYTES,
  Oauth2ClientId,
  type Oauth2Provider,
  Oauth2ProviderName,
} from "../fields/oauth2.ts";
import type { Oauth2CredentialLine, OrganizationDocument } from "../records/organization.ts";
import { decodeSecret, encodeSecret } from "../vault/secrets.ts";
import { nonceOfKey } from "./oidc-tokens.ts";
import type { PersonTools } from "./tools.ts";

/** What create and update have in common. */
export const credentialParams = {
  provider: Oauth2ProviderName,
  clientId: Oauth2ClientId,
  encryptedClientSecret: EncryptedClientSecret,
};

type Given = Pick<Oauth2CredentialLine, "provider" | "clientId" | "encryptedClientSecret">;

export function oauth2CredentialsOf({
  oauth2Credentials = [],
}: Pick<OrganizationDocument, "oauth2Credentials">): readonly Oauth2CredentialLine[] {
  return oauth2Credentials;
}

export function findOauth2Credential(
  document: OrganizationDocument,
  oauth2CredentialId: string,
  field: string,
): Oauth2CredentialLine {
  const line = oauth2CredentialsOf(document).find(
    (each) => each.oauth2CredentialId === oauth2CredentialId,
  );
  if (line) return line;
  throw new ApiError(
    "NOT_FOUND",
    "OAUTH2_CREDENTIAL_NOT_FOUND",
    `OAuth 2.0 credential not found: \`${shorten(oauth2CredentialId)}\``,
    { field },
  );
}

/** A login proxy finds a credential by its client, so an organization has each client once. */
export function checkNewClient(
  document: OrganizationDocument,
  { provider, clientId }: Given,
  exceptId?: string,
) {
  const other = oauth2CredentialsOf(document).find(
    (each) =>
      each.provider === provider &&
      each.clientId === clientId &&
      each.oauth2CredentialId !== exceptId,
  );
  if (!other) return;
  throw alreadyExists(
    "ALREADY_EXISTS",
    "parameters.clientId",
    `\`${clientId}\` already has the OAuth 2.0 credential \`${other.oauth2CredentialId}\`; update or delete it`,
  );
}

const AT = "parameters.encryptedClientSecret";

/** Refuses a secret that the signer cannot use. Nothing says what is in it. */
export function checkClientSecret(context: PersonTools, given: Given) {
  wipe(openClientSecret(context, given));
}

/** Before the secret, if the client bound it: the organization and the client in which alone it opens. */
const BOUND = "keyhearth.oauth2.v1|";

/**
 * The client's secret, without what binds it. The caller wipes it. A secret that says for which organization and client
 * it was encrypted opens in no other: a user who reads the credential could register it elsewhere.
 */
function openClientSecret(
  { oauth2, organizationId }: PersonTools,
  { clientId, encryptedClientSecret }: Given,
): SecretBytes {
  const opened = openOrRefuse(oauth2, encryptedClientSecret);
  const text = textIn(opened);
  if (!text.startsWith(BOUND)) {
    assertSecret(text);
    return opened;
  }
  const head = `${BOUND}${organizationId}|${clientId}|`;
  if (!text.startsWith(head)) {
    throw refused("was encrypted for another organization or another client");
  }
  assertSecret(text.slice(head.length));
  wipe(opened);
  return encodeSecret(text.slice(head.length));
}

function openOrRefuse(oauth2: PersonTools["oauth2"], encrypted: string): SecretBytes {
  try {
    return oauth2.openSecret(decodeHex(encrypted));
  } catch {
    throw refused(
      "does not open with the service’s key: encrypt the secret to the first half of its `quorumPublicKey`, which `/.well-known/keyhearth.json` shows",
    );
  }
}

function textIn(opened: SecretBytes): string {
  try {
    return decodeSecret(opened);
  } catch {
    throw refused("holds something other than text");
  }
}

function assertSecret(text: string) {
  if (/^[\x21-\x7e]+$/.test(text) && text.length <= MAX_CLIENT_SECRET_BYTES) return;
  throw refused(
    `holds no client secret: one has 1 to ${MAX_CLIENT_SECRET_BYTES} visible ASCII characters`,
  );
}

function refused(why: string): ApiError {
  return invalid(AT, `invalid encrypted client secret: \`${AT}\` ${why}`, "BUNDLE_INVALID");
}

/** A verifier that names its nonce, as our clients make it. */
const NAMING = /~([0-9a-f]{64})$/;

/**
 * The provider takes a code only with the verifier whose digest the person's page has sent. So a verifier that names the
 * nonce keeps the host, which carries the code, from using it for another key, also as the one that gets the provider's token.
 */
export function checkVerifier({
  codeVerifier,
  nonce,
  bearerTokenTargetPublicKey: target,
}: {
  codeVerifier: string;
  nonce: string;
  bearerTokenTargetPublicKey?: string | undefined;
}) {
  const named = NAMING.exec(codeVerifier)?.[1];
  if (named === undefined) return;
  if (named !== nonce) {
    throw invalid(
      "parameters.nonce",
      "`parameters.nonce` is not the one that `parameters.codeVerifier` names: the code counts for that one alone",
    );
  }
  if (target === undefined || nonceOfKey(target) === named) return;
  throw invalid(
    "parameters.bearerTokenTargetPublicKey",
    "`parameters.bearerTokenTargetPublicKey` is not the key whose digest `parameters.codeVerifier` names",
  );
}

/** Whom the code is about. Asks the signer to exchange the code, if it has not. */
export function exchangeCode(
  context: PersonTools,
  line: Oauth2CredentialLine,
  given: { authCode: string; redirectUri: string; codeVerifier: string; wantsBearerToken: boolean },
): { subject: string; bearerToken: string | null; askedAtMs: number } {
  const { registrations, organizationId, document, nowMs: askedAtMs } = context;
  const outcome = registrations.exchange(`${organizationId}|${context.requestName()}`, () => ({
    familyId: document.parentOrganizationId ?? organizationId,
    askedAtMs,
    provider: line.provider,
    clientId: line.clientId,
    clientSecret: openClientSecret(context, line),
    code: secret(given.authCode),
    codeVerifier: secret(given.codeVerifier),
    redirectUri: given.redirectUri,
    wantsBearerToken: given.wantsBearerToken,
  }));
  if ("subject" in outcome) {
    const { subject, bearerToken } = outcome;
    return {
      subject,
      bearerToken: bearerToken?.open() ?? null,
      askedAtMs: outcome.askedAtMs,
    };
  }
  const message = `the code was not exchanged: ${providerNames[line.provider]} ${outcome.refusal}`;
  switch (outcome.because) {
    case "unknown provider":
      throw invalid("parameters.oauth2CredentialId", message, "OAUTH2_PROVIDER_NOT_CONFIGURED");
    case "busy":
      throw new ApiError("RESOURCE_EXHAUSTED", "RATE_LIMITED", message);
    case "refused":
      throw invalid("parameters.authCode", message, "OAUTH2_EXCHANGE_FAILED");
  }
}

/** As sentences have them. */
const providerNames: Record<Oauth2Provider, string> = {
  OAUTH2_PROVIDER_X: "X",
  OAUTH2_PROVIDER_DISCORD: "Discord",
};
