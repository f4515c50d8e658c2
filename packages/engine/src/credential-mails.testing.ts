import {
  clientOf,
  newKey,
  newOrganization,
  type TestClient,
  type TestKey,
  type TestOrganization,
  type TestServer,
} from "@keyhearth/api/testing";
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { openCredentialBundle } from "@keyhearth/crypto/sealing/open-bundle";
import type { OpenedMessage } from "./messages/message.ts";
import { messagesOf } from "./messages.testing.ts";
import { first } from "./organization.testing.ts";

// What people do with mails that carry a credential.

export const adasEmail = "Ada@example.com";

export type CredentialMessage = Extract<OpenedMessage, { kind: "email-login" | "email-recovery" }>;

/** The mails with credentials that an organization sent, the newest last. */
export async function credentialMailsOf({
  server,
  organizationId,
}: Pick<TestOrganization, "server" | "organizationId">): Promise<CredentialMessage[]> {
  const messages = await messagesOf(server, organizationId);
  return messages.filter(
    (each): each is CredentialMessage =>
      each.kind === "email-login" || each.kind === "email-recovery",
  );
}

/** The key in a bundle. */
export function keyIn(credentialBundle: string, targetPrivateKey: string): TestKey {
  const bytes = openCredentialBundle(credentialBundle, decodeHex(targetPrivateKey));
  return {
    publicKey: encodeHex(publicKeyOf("CURVE_P256", bytes)),
    privateKey: encodeHex(bytes),
  };
}

/** The key of the newest mail, and a client that stamps with it. */
export async function readMail(
  organization: Pick<TestOrganization, "server" | "organizationId">,
  targetPrivateKey: string,
): Promise<{ message: CredentialMessage; key: TestKey; client: TestClient }> {
  const message = (await credentialMailsOf(organization)).at(-1);
  if (!message) throw new Error("no mail");
  const key = keyIn(message.content.credentialBundle, targetPrivateKey);
  const { server, organizationId } = organization;
  return { message, key, client: clientOf(server, organizationId, key) };
}

const loginFeatures = [
  "FEATURE_NAME_EMAIL_AUTH",
  "FEATURE_NAME_EMAIL_RECOVERY",
  "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY",
] as const;

/** Switches on everything that mails credentials. */
export async function offerMails({ root }: Pick<TestOrganization, "root">) {
  for (const name of loginFeatures) await root.setOrganizationFeature({ name });
}

export type Family = {
  parent: TestOrganization;
  child: TestOrganization;
  /** The parent's root user, for the sub-organization. */
  asParent: TestClient;
};

/** A parent that offers mails, and a sub-organization with one root user, Ada. */
export async function newMailFamily(server?: TestServer): Promise<Family> {
  const parent = await newOrganization(server);
  await offerMails(parent);
  const child = await newSibling(parent);
  return { parent, child, asParent: clientFor(parent, child) };
}

export async function newSibling(
  parent: TestOrganization,
  { userEmail = adasEmail }: { userEmail?: string } = {},
): Promise<TestOrganization> {
  const key = newKey();
  const { subOrganizationId, rootUserIds } = await parent.root.createSubOrganization({
    subOrganizationName: "child",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Ada",
        userEmail,
        apiKeys: [
          { apiKeyName: "laptop", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  const { server } = parent;
  return {
    server,
    organizationId: subOrganizationId,
    userId: first(rootUserIds),
    root: clientOf(server, subOrganizationId, key),
    rootKey: key,
  };
}

/** A client that stamps with the key of one organization's root user, for another organization. */
export function clientFor(
  { server, rootKey }: Pick<TestOrganization, "server" | "rootKey">,
  { organizationId }: Pick<TestOrganization, "organizationId">,
): TestClient {
  return clientOf(server, organizationId, rootKey);
}
