import { ApiKeyStamper, Connection, recoverUser } from "@keyhearth/sdk";
import { createPasskey } from "@keyhearth/sdk/browser";
import { createTargetKey, decryptCredentialBundle } from "@keyhearth/sdk/crypto";

/** What your server does for the page. */
export type RecoveryBackend = {
  sendRecoveryMail(request: { email: string; targetPublicKey: string }): Promise<void>;
};

const KEPT = "recovery-target-key";

/** Asks for a mail. Its link opens another tab, which finds the key in this browser. */
export async function askForRecovery(backend: RecoveryBackend, email: string): Promise<void> {
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  await backend.sendRecoveryMail({ email, targetPublicKey });
  localStorage.setItem(KEPT, targetPrivateKey);
}

/** What the link of the mail carries, behind the `#` that browsers don't send to servers. */
export function readLink(): { organizationId: string; userId: string; bundle: string } | undefined {
  const link = new URLSearchParams(location.hash.slice(1));
  const [organizationId, userId, bundle] = ["organizationId", "userId", "bundle"].map((name) =>
    link.get(name),
  );
  if (!organizationId || !userId || !bundle) return undefined;
  // Neither the address bar nor the history needs the bundle.
  history.replaceState(null, "", location.pathname);
  return { organizationId, userId, bundle };
}

/** Registers a new passkey. The mailed key can do nothing else. */
export async function recover(
  baseUrl: string,
  { organizationId, userId, bundle }: { organizationId: string; userId: string; bundle: string },
): Promise<void> {
  const targetPrivateKey = localStorage.getItem(KEPT);
  if (!targetPrivateKey) throw new Error("Open the link in the browser that asked for the mail");
  const mailed = decryptCredentialBundle({ credentialBundle: bundle, targetPrivateKey });
  const stamper = new ApiKeyStamper(mailed);
  const rp = { id: location.hostname, name: "Example" };
  const authenticator = await createPasskey({ rp, user: { name: "Ada" } });
  await recoverUser(new Connection({ baseUrl, organizationId, stamper }), {
    userId,
    authenticator,
  });
  localStorage.removeItem(KEPT);
}
