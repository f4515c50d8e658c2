import { decodeUtf8, wipe } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { type Secret, secret } from "@keyhearth/crypto/secret";
import type { CodeExchange, ExchangeCode } from "@keyhearth/engine/people/code-exchanges";
import { decodeSecret } from "@keyhearth/engine/vault/secrets";
import { type GuardedOptions, guardedRequest } from "@keyhearth/outbound/guarded-request";
import { OutboundError } from "@keyhearth/outbound/outbound-error";
import type { Provider } from "./providers.ts";

/** For each of the two answers, which have a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
const TIMEOUT_MS = 4000;

/** The text completes the sentence that begins with the provider's name. */
class Refusal extends Error {}

export function createCodeExchange(
  providers: readonly Provider[],
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): ExchangeCode {
  const byName = new Map(providers.map((each) => [each.provider, each]));
  return async (exchange) => {
    try {
      const provider = byName.get(exchange.provider);
      if (!provider) {
        return {
          refusal:
            "is not among the providers of this service: its operator lists them in KEYHEARTH_OAUTH2_PROVIDERS of the signer",
          because: "unknown provider",
        };
      }
      const token = await tokenFor(provider, exchange, timeoutMs);
      const subject = await subjectOf(provider, token, timeoutMs);
      const { askedAtMs, wantsBearerToken } = exchange;
      return { subject, bearerToken: wantsBearerToken ? token : null, askedAtMs };
    } catch (error) {
      return { refusal: reasonOf(error), because: "refused" };
    } finally {
      wipe(exchange.clientSecret);
    }
  };
}

async function tokenFor(
  { tokenUrl, allowPrivate }: Provider,
  { clientId, clientSecret, code, codeVerifier, redirectUri }: CodeExchange,
  timeoutMs: number,
): Promise<Secret> {
  // RFC 6749, 2.3.1: both are encoded as in forms before they are joined.
  const credentials = [clientId, decodeSecret(clientSecret)].map(encodeURIComponent);
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code: code.open(),
    redirect_uri: redirectUri,
    code_verifier: codeVerifier.open(),
    client_id: clientId,
  });
  const answer = await ask(tokenUrl, {
    method: "POST",
    headers: {
      accept: "application/json",
      authorization: `Basic ${Buffer.from(credentials.join(":")).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: form.toString(),
    allowPrivate,
    timeoutMs,
  });
  if (answer.status !== 200) throw refusalOf(answer);
  const { access_token: token, token_type: type } = answer.members;
  const isBearer = typeof type === "string" && type.toLowerCase() === "bearer";
  if (typeof token !== "string" || !/^[\x21-\x7e]{1,2048}$/.test(token) || !isBearer) {
    throw new Refusal("answered with something other than a bearer token");
  }
  return secret(token);
}

/** Only what OAuth 2.0 defines is told: the answer may contain anything else. */
function refusalOf({ status, members }: Answer): Refusal {
  switch (members.error) {
    case "invalid_grant":
      return new Refusal(
        "refused it: a code works once, for a short time, and with the `redirectUri`, the `codeVerifier` and the client that it was asked for with",
      );
    case "invalid_client":
    case "unauthorized_client":
      return new Refusal(
        "does not accept the client: check the credential’s `clientId` and secret",
      );
    case "invalid_request":
    case "invalid_scope":
    case "unsupported_grant_type":
      return new Refusal(`refused the request as ${members.error}`);
    default:
      return new Refusal(`answered with status ${status}`);
  }
}

async function subjectOf(
  { userUrl, allowPrivate, subjectOf: read }: Provider,
  token: Secret,
  timeoutMs: number,
): Promise<string> {
  const answer = await ask(userUrl, {
    headers: { accept: "application/json", authorization: `Bearer ${token.open()}` },
    allowPrivate,
    timeoutMs,
  });
  if (answer.status !== 200) {
    throw new Refusal(
      `answered with status ${answer.status} when it was asked who the person is: your page must ask for the scope that shows this`,
    );
  }
  const subject = read(answer.members);
  // Both providers number people. A number of another form of JSON would have lost digits.
  if (typeof subject === "string" && /^\d{1,32}$/.test(subject)) return subject;
  throw new Refusal("did not say who the person is");
}

type Answer = { status: number; members: Record<string, unknown> };

/** Redirects are not followed, so they are an answer with another status. */
async function ask(
  url: string,
  options: Omit<GuardedOptions, "maxBytes" | "isHttpsRequired">,
): Promise<Answer> {
  const { status, body } = await guardedRequest(url, {
    ...options,
    maxBytes: MAX_ANSWER_BYTES,
    isHttpsRequired: true,
  });
  return { status, members: membersOf(body, status) };
}

function membersOf(body: Uint8Array, status: number): Record<string, unknown> {
  try {
    const value = parseStrictJson(decodeUtf8(body), { maxDepth: 8 });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // A page of a proxy, say.
  }
  if (status !== 200) return {};
  throw new Refusal("answered with something other than JSON");
}

/** Short, and without anything that the provider or the network said. */
function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof OutboundError) return `did not answer (${error.message})`;
  return "gave an answer that cannot be read";
}
