import type { KeyhearthClient } from "@keyhearth/sdk";

export type Account = { organizationId: string; userId: string };

/** Sends the mail to somebody whose account your server knows. `page` is the address of your page. */
export async function sendRecoveryMail(
  parent: KeyhearthClient,
  account: Account | undefined,
  { email, targetPublicKey, page }: { email: string; targetPublicKey: string; page: string },
): Promise<void> {
  if (!account) return;
  const { organizationId, userId } = account;
  // Only the mail names the account, so the page that asks learns nothing about it.
  const link = new URLSearchParams({ organizationId, userId });
  await parent.initUserEmailRecovery(
    {
      email,
      targetPublicKey,
      emailCustomization: { appName: "Example", magicLinkTemplate: `${page}#${link}&bundle=%s` },
    },
    { organizationId },
  );
}
