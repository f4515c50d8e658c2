import type { QueryDeclaration } from "../query/define.ts";
import { getActivity } from "./get-activity.ts";
import { getApiKey } from "./get-api-key.ts";
import { getApiKeys } from "./get-api-keys.ts";
import { getAuthenticator } from "./get-authenticator.ts";
import { getAuthenticators } from "./get-authenticators.ts";
import { getOauthProviders } from "./get-oauth-providers.ts";
import { getOauth2Credential } from "./get-oauth2-credential.ts";
import { getOrganization } from "./get-organization.ts";
import { getOrganizationConfigs } from "./get-organization-configs.ts";
import { getPolicy } from "./get-policy.ts";
import { getPolicyEvaluations } from "./get-policy-evaluations.ts";
import { getPrivateKey } from "./get-private-key.ts";
import { getReceipts } from "./get-receipts.ts";
import { getSmartContractInterface } from "./get-smart-contract-interface.ts";
import { getUser } from "./get-user.ts";
import { getWallet } from "./get-wallet.ts";
import { getWalletAccount } from "./get-wallet-account.ts";
import { listActivities } from "./list-activities.ts";
import { listOauth2Credentials } from "./list-oauth2-credentials.ts";
import { listPolicies } from "./list-policies.ts";
import { listPrivateKeyTags } from "./list-private-key-tags.ts";
import { listPrivateKeys } from "./list-private-keys.ts";
import { listSmartContractInterfaces } from "./list-smart-contract-interfaces.ts";
import { listSuborgs } from "./list-suborgs.ts";
import { listUserTags } from "./list-user-tags.ts";
import { listUsers } from "./list-users.ts";
import { listVerifiedSuborgs } from "./list-verified-suborgs.ts";
import { listWalletAccounts } from "./list-wallet-accounts.ts";
import { listWallets } from "./list-wallets.ts";
import { listWebhookDeliveries } from "./list-webhook-deliveries.ts";
import { listWebhookEndpoints } from "./list-webhook-endpoints.ts";
import { simulateActivity } from "./simulate-activity.ts";
import { whoami } from "./whoami.ts";

/** Every query, in the order of the reference. */
export const queries: QueryDeclaration[] = [
  getActivity,
  getApiKey,
  getApiKeys,
  getAuthenticator,
  getAuthenticators,
  getOauth2Credential,
  getOauthProviders,
  getOrganization,
  getOrganizationConfigs,
  getPolicy,
  getPolicyEvaluations,
  getPrivateKey,
  getReceipts,
  getSmartContractInterface,
  getUser,
  getWallet,
  getWalletAccount,
  listActivities,
  listOauth2Credentials,
  listPolicies,
  listPrivateKeyTags,
  listPrivateKeys,
  listSmartContractInterfaces,
  listSuborgs,
  listUserTags,
  listUsers,
  listVerifiedSuborgs,
  listWalletAccounts,
  listWallets,
  listWebhookDeliveries,
  listWebhookEndpoints,
  simulateActivity,
  whoami,
];

const byName = new Map(queries.map((each) => [each.name, each]));

export function findQuery(name: string): QueryDeclaration | undefined {
  return byName.get(name);
}
