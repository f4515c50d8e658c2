import type { KeyhearthClient } from "@keyhearth/sdk";

/** Which sub-organization belongs to an address, as your server wrote down when they signed up. */
export type Accounts = Map<string, string>;

/** Sends the mail. `parent` has the API key of your organization, so this runs on your server. */
export async function sendLoginMail(
  parent: KeyhearthClient,
  accounts: Accounts,
  { email, targetPublicKey }: { email: string; targetPublicKey: string },
): Promise<void> {
  const organizationId = accounts.get(email.toLowerCase());
  // The visitor gets the same answer either way. Otherwise strangers learn who has an account.
  if (!organizationId) return;
  const emailCustomization = { appName: "Example" };
  await parent.emailAuth({ email, targetPublicKey, emailCustomization }, { organizationId });
}
