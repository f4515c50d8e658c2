import { useCallback, useState } from "react";
import {
  type CodeBackend,
  type Contact,
  logInWithCode,
  type SentCode,
  sendCode,
} from "../browser/code-login.ts";
import { logInWithPasskey, prepareSignUp } from "../browser/logins.ts";
import { beginOidcLogin, logInWithOidc, type OidcBackend } from "../browser/oidc-login.ts";
import { createPasskey, type PasskeyOptions } from "../browser/passkey-registration.ts";
import type { SessionRequest } from "../browser/session.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { ApiKeyParamsV2, AuthenticatorParamsV2 } from "../generated/types.ts";
import type { WebAuthnStamperOptions } from "../stampers/webauthn.ts";
import { useTask } from "./calls.ts";
import { useKeyhearth } from "./provider.ts";

// Each login is a hook of its own, so a bundler keeps only those that an app has.

/** Logs in with a passkey: `const { run, error } = usePasskeyLogin(); run()`. */
export function usePasskeyLogin() {
  const { keeper } = useKeyhearth();
  type Options = Omit<WebAuthnStamperOptions & SessionRequest, "signal"> & {
    organizationId?: string;
  };
  return useTask((signal, options: Options = {}) =>
    logInWithPasskey(keeper, { ...options, signal }),
  );
}

/** What your server registers for somebody who signs up: both belong to the new root user. */
export type SignUpRequest = { authenticator: AuthenticatorParamsV2; apiKey: ApiKeyParamsV2 };

/**
 * Makes a passkey, has your server make the sub-organization, and logs in, with one prompt. `register`
 * sends the request to your server, and returns the id of the new sub-organization.
 */
export function usePasskeySignUp(
  register: (request: SignUpRequest) => Promise<{ organizationId: string }>,
) {
  const { keeper } = useKeyhearth();
  type Options = Omit<PasskeyOptions & SessionRequest, "signal">;
  return useTask(async (signal, options: Options) => {
    const { expirationSeconds, invalidateExisting, ...passkey } = options;
    const authenticator = await createPasskey({ ...passkey, signal });
    const ready = await prepareSignUp(keeper);
    const { organizationId } = await register({ authenticator, apiKey: ready.apiKey });
    return ready.finish(keeper, {
      organizationId,
      signal,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      ...(invalidateExisting === undefined ? {} : { invalidateExisting }),
    });
  });
}

/**
 * Logs in with a code. `send.run(contact)` has your server send one, and `enter.run({ code })` logs in
 * with it. `sent` is undefined until a code was sent.
 */
export function useCodeLogin(backend: CodeBackend) {
  const { keeper } = useKeyhearth();
  const [sent, setSent] = useState<SentCode>();
  const send = useTask(async (_signal, contact: Contact) => {
    const fresh = await sendCode(backend, contact);
    setSent(fresh);
    return fresh;
  });
  type Entry = { code: string; sent?: SentCode } & Omit<SessionRequest, "signal">;
  const enter = useTask((signal, { code, sent: given = sent, ...request }: Entry) => {
    if (!given) throw invalidFields({ field: "sent", message: "is missing. Call send.run first" });
    return logInWithCode(keeper, backend, { ...request, code, sent: given, signal });
  });
  return { send, enter, sent };
}

/**
 * Logs in at an OpenID provider. `begin()` gives the nonce for the provider's authorization request, and
 * `finish.run({ oidcToken })` logs in with the ID token that came back, also after a redirect.
 */
export function useOidcLogin(backend?: OidcBackend) {
  const { keeper } = useKeyhearth();
  const begin = useCallback(() => beginOidcLogin(keeper), [keeper]);
  type Answer = { oidcToken: string } & Omit<SessionRequest, "signal">;
  const finish = useTask((signal, answer: Answer) =>
    logInWithOidc(keeper, { ...answer, signal, ...(backend ? { backend } : {}) }),
  );
  return { begin, finish };
}
