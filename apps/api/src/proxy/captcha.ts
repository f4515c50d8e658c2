import type { Secret } from "@keyhearth/crypto/secret";
import { ApiError } from "@keyhearth/engine/errors";
import { guardedRequest } from "@keyhearth/outbound/guarded-request";
import { OutboundError } from "@keyhearth/outbound/outbound-error";
import type { CaptchaSettings } from "../config/captcha.ts";
import { TryLater } from "../errors.ts";
import type { Log } from "../observability/log.ts";

/** Says whether a person solved a captcha. Throws if not, or if nobody can tell. */
export type Captcha = {
  /** What the page needs to show it. */
  siteKey: string;
  check(token: string | undefined, address: string): Promise<void>;
};

const TIMEOUT_MS = 5000;
const MAX_BYTES = 16 * 1024;
const MAX_TOKEN_LENGTH = 2048;

/** Asks a provider that answers as `siteverify` of Turnstile, hCaptcha and reCAPTCHA does. */
export function createCaptcha(
  { url, secret, siteKey }: CaptchaSettings,
  { log }: { log: Log },
): Captcha {
  // The operator chose the provider, so it may be at a private address.
  const { host, port, protocol } = new URL(url);
  const place = port ? host : `${host}:${protocol === "https:" ? 443 : 80}`;
  return {
    siteKey,
    async check(token, address) {
      if (!token)
        throw notSolved("`X-Captcha-Token` is missing: send the token of a solved captcha");
      if (token.length > MAX_TOKEN_LENGTH) {
        throw notSolved(`\`X-Captcha-Token\` has more than ${MAX_TOKEN_LENGTH} characters`);
      }
      const isSolved = await ask({ url, secret, place }, token, address).catch((error: unknown) => {
        if (!(error instanceof OutboundError)) throw error;
        log.warn({ reason: error.message }, "the captcha’s provider gave no answer");
        throw new TryLater(
          "UNAVAILABLE",
          "CONFLICT",
          "the captcha cannot be checked now; try again in a few seconds",
          5,
        );
      });
      if (!isSolved) throw notSolved("`X-Captcha-Token` is not of a solved captcha, or was used");
    },
  };
}

async function ask(
  { url, secret, place }: { url: string; secret: Secret; place: string },
  response: string,
  remoteip: string,
): Promise<boolean> {
  const { status, body } = await guardedRequest(url, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ secret: secret.open(), response, remoteip }).toString(),
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    allowPrivate: [place],
  });
  if (status !== 200) throw new OutboundError("network", `the provider answered ${status}`);
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body));
    return (
      typeof answer === "object" &&
      answer !== null &&
      "success" in answer &&
      answer.success === true
    );
  } catch {
    throw new OutboundError("network", "the provider did not answer JSON");
  }
}

function notSolved(why: string): ApiError {
  return new ApiError("PERMISSION_DENIED", "REQUEST_NOT_AUTHORIZED", `captcha needed: ${why}`);
}
