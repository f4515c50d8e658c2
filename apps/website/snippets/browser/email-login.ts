import { ApiKeyStamper } from "@keyhearth/sdk";
import { logInWith, type Session, type SessionKeeper } from "@keyhearth/sdk/browser";
import { createTargetKey, decryptCredentialBundle } from "@keyhearth/sdk/crypto";

/** What your server does for the page. */
export type EmailBackend = {
  sendLoginMail(request: { email: string; targetPublicKey: string }): Promise<void>;
};

/** Asks for a mail. Keep the private key until the mail comes: nothing else opens its bundle. */
export async function askForMail(backend: EmailBackend, email: string): Promise<string> {
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  await backend.sendLoginMail({ email, targetPublicKey });
  return targetPrivateKey;
}

/** Logs in with the bundle of the mail. */
export async function openMail(
  keeper: SessionKeeper,
  mail: { credentialBundle: string; targetPrivateKey: string },
): Promise<Session> {
  const mailed = new ApiKeyStamper(decryptCredentialBundle(mail));
  // Scripts could read the mailed key, so it only starts a session whose key they can't read.
  return logInWith(keeper, mailed, { expirationSeconds: 3600 });
}
