import type { ActivityDeclaration } from "../declare/define.ts";
import { invalid, shorten } from "../errors.ts";
import { acceptInvitation } from "./accept-invitation.ts";
import { approveActivity } from "./approve-activity.ts";
import { createApiKeys } from "./create-api-keys.ts";
import { createApiOnlyUsers } from "./create-api-only-users.ts";
import { createAuthenticators } from "./create-authenticators.ts";
import { createInvitations } from "./create-invitations.ts";
import { createOauthProviders } from "./create-oauth-providers.ts";
import { createOauth2Credential } from "./create-oauth2-credential.ts";
import { createOrganization } from "./create-organization.ts";
import { createPolicies } from "./create-policies.ts";
import { createPolicy } from "./create-policy.ts";
import { createPrivateKeyTag } from "./create-private-key-tag.ts";
import { createPrivateKeys } from "./create-private-keys.ts";
import { createReadOnlySession } from "./create-read-only-session.ts";
import { createReadWriteSession } from "./create-read-write-session.ts";
import { createSmartContractInterface } from "./create-smart-contract-interface.ts";
import { createSubOrganization } from "./create-sub-organization.ts";
import { createUserTag } from "./create-user-tag.ts";
import { createUsers } from "./create-users.ts";
import { createWallet } from "./create-wallet.ts";
import { createWalletAccounts } from "./create-wallet-accounts.ts";
import { createWebhookEndpoint } from "./create-webhook-endpoint.ts";
import { deleteApiKeys } from "./delete-api-keys.ts";
import { deleteAuthenticators } from "./delete-authenticators.ts";
import { deleteInvitation } from "./delete-invitation.ts";
import { deleteOauthProviders } from "./delete-oauth-providers.ts";
import { deleteOauth2Credential } from "./delete-oauth2-credential.ts";
import { deleteOrganization } from "./delete-organization.ts";
import { deletePolicies } from "./delete-policies.ts";
import { deletePolicy } from "./delete-policy.ts";
import { deletePrivateKeyTags } from "./delete-private-key-tags.ts";
import { deletePrivateKeys } from "./delete-private-keys.ts";
import { deleteSmartContractInterface } from "./delete-smart-contract-interface.ts";
import { deleteSubOrganization } from "./delete-sub-organization.ts";
import { deleteUserTags } from "./delete-user-tags.ts";
import { deleteUsers } from "./delete-users.ts";
import { deleteWalletAccounts } from "./delete-wallet-accounts.ts";
import { deleteWallets } from "./delete-wallets.ts";
import { deleteWebhookEndpoint } from "./delete-webhook-endpoint.ts";
import { emailAuth } from "./email-auth.ts";
import { exportPrivateKey } from "./export-private-key.ts";
import { exportWallet } from "./export-wallet.ts";
import { exportWalletAccount } from "./export-wallet-account.ts";
import { importPrivateKey } from "./import-private-key.ts";
import { importWallet } from "./import-wallet.ts";
import { initImportPrivateKey } from "./init-import-private-key.ts";
import { initImportWallet } from "./init-import-wallet.ts";
import { initOtp } from "./init-otp.ts";
import { initOtpAuth } from "./init-otp-auth.ts";
import { initUserEmailRecovery } from "./init-user-email-recovery.ts";
import { logOutEverywhere } from "./log-out-everywhere.ts";
import { oauth } from "./oauth.ts";
import { oauthLogin } from "./oauth-login.ts";
import { oauth2Authenticate } from "./oauth2-authenticate.ts";
import { otpAuth } from "./otp-auth.ts";
import { otpLogin } from "./otp-login.ts";
import { recoverUser } from "./recover-user.ts";
import { rejectActivity } from "./reject-activity.ts";
import { removeOrganizationFeature } from "./remove-organization-feature.ts";
import { resendWebhookDelivery } from "./resend-webhook-delivery.ts";
import { setOrganizationFeature } from "./set-organization-feature.ts";
import { signRawPayload } from "./sign-raw-payload.ts";
import { signRawPayloads } from "./sign-raw-payloads.ts";
import { signTransaction } from "./sign-transaction.ts";
import { stampLogin } from "./stamp-login.ts";
import { updateOauth2Credential } from "./update-oauth2-credential.ts";
import { updateOrganizationName } from "./update-organization-name.ts";
import { updatePolicy } from "./update-policy.ts";
import { updatePrivateKeyTag } from "./update-private-key-tag.ts";
import { updateRootQuorum } from "./update-root-quorum.ts";
import { updateUser } from "./update-user.ts";
import { updateUserEmail } from "./update-user-email.ts";
import { updateUserName } from "./update-user-name.ts";
import { updateUserPhoneNumber } from "./update-user-phone-number.ts";
import { updateUserTag } from "./update-user-tag.ts";
import { updateWallet } from "./update-wallet.ts";
import { updateWebhookEndpoint } from "./update-webhook-endpoint.ts";
import { verifyOtp } from "./verify-otp.ts";

/** Every activity of the service, in the order of the reference. */
export const activities: ActivityDeclaration[] = [
  acceptInvitation,
  approveActivity,
  createApiKeys,
  createAuthenticators,
  createInvitations,
  createApiOnlyUsers,
  createOauth2Credential,
  createOauthProviders,
  createOrganization,
  createPolicies,
  createPolicy,
  createPrivateKeyTag,
  createPrivateKeys,
  createReadOnlySession,
  createReadWriteSession,
  createSmartContractInterface,
  createSubOrganization,
  createUserTag,
  createUsers,
  createWallet,
  createWalletAccounts,
  deleteApiKeys,
  deleteAuthenticators,
  deleteOrganization,
  deleteInvitation,
  deleteOauth2Credential,
  deleteOauthProviders,
  deletePolicies,
  deletePolicy,
  deletePrivateKeyTags,
  deletePrivateKeys,
  deleteSmartContractInterface,
  deleteSubOrganization,
  deleteUserTags,
  deleteUsers,
  deleteWalletAccounts,
  deleteWallets,
  emailAuth,
  exportPrivateKey,
  exportWallet,
  exportWalletAccount,
  importPrivateKey,
  importWallet,
  initImportPrivateKey,
  initImportWallet,
  initOtp,
  initOtpAuth,
  initUserEmailRecovery,
  logOutEverywhere,
  otpAuth,
  otpLogin,
  oauth,
  oauthLogin,
  oauth2Authenticate,
  recoverUser,
  rejectActivity,
  removeOrganizationFeature,
  setOrganizationFeature,
  signRawPayload,
  signRawPayloads,
  signTransaction,
  updateOauth2Credential,
  updateOrganizationName,
  stampLogin,
  updatePolicy,
  updatePrivateKeyTag,
  updateRootQuorum,
  updateUser,
  updateUserEmail,
  updateUserName,
  updateUserPhoneNumber,
  updateUserTag,
  updateWallet,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  resendWebhookDelivery,
  verifyOtp,
];

const byName = new Map(activities.map((each) => [each.name, each]));
const byType = new Map(
  activities.flatMap((each) => Object.keys(each.versions).map((type) => [type, each] as const)),
);

export function activityNamed(name: string): ActivityDeclaration {
  const declaration = byName.get(name);
  if (!declaration) throw invalid("", `there is no submission \`${shorten(name)}\``);
  return declaration;
}

export function activityOfType(type: string): ActivityDeclaration {
  const declaration = byType.get(type);
  if (!declaration) {
    throw invalid("type", `unknown activity type \`${shorten(type)}\``, "ACTIVITY_TYPE_INVALID");
  }
  return declaration;
}

export function findActivity(name: string): ActivityDeclaration | undefined {
  return byName.get(name);
}
