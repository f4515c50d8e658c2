import type { TurnkeyApiClient } from "@turnkey/sdk-server";
import {
  newApiKeyPair,
  type Release,
  releases,
  rootUserParams,
} from "../official-clients/clients.ts";
import type { Product } from "../official-clients/product.ts";
import { fetchMailbox } from "../start/process.ts";

export type Person = {
  client: TurnkeyApiClient;
  organizationId: string;
  userId: string;
  email: string;
};

// The list begins with the newest release.
const newest = releases[0] as Release;

let made = 0;

export function parentOf({ url, root }: Product): TurnkeyApiClient {
  return newest.connect(url, root.organizationId, root);
}

/** A sub-organization of one person. The client stamps with a key of theirs. */
export async function newPerson(product: Product): Promise<Person> {
  const email = `ada.${made++}@example.com`;
  const key = newApiKeyPair();
  const { subOrganizationId, rootUserIds } = await parentOf(product).createSubOrganization({
    subOrganizationName: email,
    rootUsers: [{ ...rootUserParams("Ada", key), userEmail: email }],
    rootQuorumThreshold: 1,
  });
  const client = newest.connect(product.url, subOrganizationId, key);
  return { client, organizationId: subOrganizationId, userId: rootUserIds?.[0] ?? "", email };
}

/** Asks for a login by mail, as an app's server does, and reads the bundle in the mailbox. */
export async function mailBundle(
  product: Product,
  { email, organizationId }: Person,
  targetPublicKey: string,
): Promise<string> {
  await parentOf(product).emailAuth({
    organizationId,
    email,
    targetPublicKey,
    emailCustomization: { appName: "Example" },
  });
  for (let tries = 0; tries < 100; tries++) {
    const answer = await fetchMailbox(product, `?to=${encodeURIComponent(email)}`);
    const [, bundle] = /"([1-9A-HJ-NP-Za-km-z]{100,120})"/.exec(await answer.text()) ?? [];
    if (bundle) return bundle;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no mail came");
}
