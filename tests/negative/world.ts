import { newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import {
  ApiKeyId,
  AuthenticatorId,
  InvitationId,
  Oauth2CredentialId,
  OrganizationId,
  PolicyId,
  PrivateKeyId,
  PrivateKeyTagId,
  SmartContractInterfaceId,
  UserId,
  UserTagId,
  WalletAccountId,
  WalletId,
} from "@keyhearth/engine/fields/schemas";
import { credentialOf } from "@keyhearth/engine/oauth2-logins.testing";
import { CLIENT } from "@keyhearth/engine/oauth2-provider.testing";
import { ethereumAccount, first } from "@keyhearth/engine/organization.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import type * as z from "zod";
import { exampleText, type Names } from "./example.ts";

/** An organization that has one of everything that a request can name. */
export type World = Names & { organization: TestOrganization };

/** The texts of examples that are ids: all others are values of their own. */
const ids: [z.ZodType, keyof Ids][] = [
  [OrganizationId, "organizationId"],
  [UserId, "userId"],
  [UserTagId, "userTagId"],
  [ApiKeyId, "apiKeyId"],
  [AuthenticatorId, "authenticatorId"],
  [InvitationId, "invitationId"],
  [Oauth2CredentialId, "oauth2CredentialId"],
  [PolicyId, "policyId"],
  [PrivateKeyId, "privateKeyId"],
  [PrivateKeyTagId, "privateKeyTagId"],
  [SmartContractInterfaceId, "smartContractInterfaceId"],
  [WalletId, "walletId"],
  [WalletAccountId, "walletAccountId"],
];

type Ids = Awaited<ReturnType<typeof fill>>;

export async function newWorld(): Promise<World> {
  const organization = await newOrganization();
  const has = await fill(organization);
  const byExample = new Map(ids.map(([schema, name]) => [exampleText(schema), has[name]]));
  const byField: Record<string, string> = {
    signWith: has.address,
    address: has.address,
    activityId: has.activityId,
    fingerprint: has.fingerprint,
    encryptedClientSecret: boundSecretOf(organization),
  };
  return {
    organization,
    referenceOf: (field, example) => byExample.get(example) ?? byField[field],
    textOf: (field) => (field === "publicKey" ? newKey().publicKey : texts[field]),
  };
}

const { challenge, attestation } = newPasskey().params;
const { credentialId, clientDataJson, attestationObject } = attestation;

/** Texts for fields that have no example and take only certain texts. */
const texts: Record<string, string> = {
  challenge,
  credentialId,
  id: credentialId,
  rawId: credentialId,
  clientDataJson,
  attestationObject,
  timestampMs: String(Date.now()),
  // The activity of a simulation, whose parameters are open.
  type: "ACTIVITY_TYPE_CREATE_USERS_V3",
  payload: "00",
  payloads: "00",
  smartContractInterface: "[]",
};

/** For the client of the examples, and for this organization alone. */
function boundSecretOf({ server, organizationId }: TestOrganization): string {
  const secret = `keyhearth.oauth2.v1|${organizationId}|${CLIENT.clientId}|a-secret`;
  return credentialOf(server, { secret }).encryptedClientSecret;
}

async function fill(organization: TestOrganization) {
  const { root, organizationId, userId } = organization;
  const { userTagId } = await root.createUserTag({ userTagName: "ops", userIds: [userId] });
  const { apiKeys } = await root.getApiKeys({ userId });
  const { authenticatorIds } = await root.createAuthenticators({
    userId,
    authenticators: [newPasskey().params],
  });
  const { walletId, addresses, activity } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount],
  });
  const { accounts } = await root.listWalletAccounts({ walletId });
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      { privateKeyName: "key", curve: "CURVE_P256", privateKeyTags: [], addressFormats: [] },
    ],
  });
  const privateKeyId = first(privateKeys).privateKeyId ?? "";
  const { privateKeyTagId } = await root.createPrivateKeyTag({
    privateKeyTagName: "cold",
    privateKeyIds: [privateKeyId],
  });
  const { policyId } = await root.createPolicy({
    policyName: "policy",
    effect: "EFFECT_ALLOW",
    condition: "true",
    consensus: "true",
    notes: "",
  });
  const { smartContractInterfaceId } = await root.createSmartContractInterface({
    label: "token",
    notes: "",
    smartContractAddress: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
    smartContractInterface: "[]",
    type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM",
  });
  const { invitationIds } = await root.createInvitations({
    invitations: [
      {
        receiverUserName: "Grace",
        receiverUserEmail: "grace@example.com",
        receiverUserTags: [userTagId],
        accessType: "ACCESS_TYPE_ALL",
        senderUserId: userId,
      },
    ],
  });
  const { oauth2CredentialId } = await root.createOauth2Credential(
    credentialOf(organization.server, { clientId: "client" }),
  );
  return {
    oauth2CredentialId,
    organizationId,
    userId,
    userTagId,
    apiKeyId: first(apiKeys).apiKeyId,
    authenticatorId: first(authenticatorIds),
    walletId,
    walletAccountId: first(accounts).walletAccountId,
    privateKeyId,
    privateKeyTagId,
    policyId,
    smartContractInterfaceId,
    invitationId: first(invitationIds),
    address: first(addresses),
    activityId: activity.id,
    fingerprint: activity.fingerprint,
  };
}
