// GENERATED from contract/openapi.json by packages/sdk/scripts/generate.ts. Do not edit.

import type { MethodOf } from "../call.ts";
import type * as calls from "./calls.ts";

/** Every call as a method of `KeyhearthClient`. */
export type Methods = {
  /**
   * Become a user of the organization that sent an invitation. Register a passkey with a random
   * challenge, prove with `tokenProof` that you have the token of the invitation, and stamp this
   * request with that passkey. The new user has the name, email address and tags of the invitation,
   * which works once.
   *
   * `options.type` also takes `ACTIVITY_TYPE_ACCEPT_INVITATION`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#accept_invitation
   */
  readonly acceptInvitation: MethodOf<typeof calls.acceptInvitation>;
  /**
   * Approve an activity that needs consensus. Returns the approved activity, with its result after
   * the last approval.
   *
   * @throws `ActivityFailed`, `InvalidField`, `NotFound` or another `KeyhearthError`.
   * @see /api#approve_activity
   */
  readonly approveActivity: MethodOf<typeof calls.approveActivity>;
  /**
   * Add API keys to an existing user.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_API_KEYS`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_api_keys
   */
  readonly createApiKeys: MethodOf<typeof calls.createApiKeys>;
  /**
   * Create users who stamp with P-256 API keys, such as programs. They can get other credentials
   * later.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_api_only_users
   */
  readonly createApiOnlyUsers: MethodOf<typeof calls.createApiOnlyUsers>;
  /**
   * Add passkeys to an existing user.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_AUTHENTICATORS`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_authenticators
   */
  readonly createAuthenticators: MethodOf<typeof calls.createAuthenticators>;
  /**
   * Invite people to join an organization. An invitation works once and within a week, and ends
   * when the user who sent or created it is deleted. Each receiver gets an email with the token
   * that accepts the invitation.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_invitations
   */
  readonly createInvitations: MethodOf<typeof calls.createInvitations>;
  /**
   * Store your application’s client at a provider that only speaks OAuth 2.0, with its secret, so
   * that people can log in with it. An organization may have 10, each client once.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_oauth2_credential
   */
  readonly createOauth2Credential: MethodOf<typeof calls.createOauth2Credential>;
  /**
   * Add social logins to an existing user: the user is whoever a provider's token says that they
   * are. An identity (issuer, audience and subject) belongs to one user of an organization. A token
   * proves it if its nonce is the digest of the public key, in compressed lower-case hex, that
   * stamps this request. Otherwise it is only stated, and logs its user in only with the id of this
   * organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_oauth_providers
   */
  readonly createOauthProviders: MethodOf<typeof calls.createOauthProviders>;
  /**
   * Create a top-level organization with one root user. Stamp the request with the credential that
   * it registers, and send it to the `rootOrganizationId` of /.well-known/keyhearth.json. The
   * service must be open for signup. The activity belongs to the new organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_ORGANIZATION`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_organization
   */
  readonly createOrganization: MethodOf<typeof calls.createOrganization>;
  /**
   * Create several policies at once: all of them, or none if one is refused.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_policies
   */
  readonly createPolicies: MethodOf<typeof calls.createPolicies>;
  /**
   * Create a policy: what it allows or denies, who must agree, and when. It applies to every
   * request after this one.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_POLICY` and `ACTIVITY_TYPE_CREATE_POLICY_V2`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_policy
   */
  readonly createPolicy: MethodOf<typeof calls.createPolicy>;
  /**
   * Create new private keys. Those of one request may have 300 addresses together, and the others
   * follow in another request.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_PRIVATE_KEYS`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_private_keys
   */
  readonly createPrivateKeys: MethodOf<typeof calls.createPrivateKeys>;
  /**
   * Create a private key tag and add it to private keys.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_private_key_tag
   */
  readonly createPrivateKeyTag: MethodOf<typeof calls.createPrivateKeyTag>;
  /**
   * Get a token that you send in `X-Session` instead of a stamp. It permits queries, and only
   * those, for one hour. With the id of a parent organization and a credential of exactly one of
   * its sub-organizations, the session is for that sub-organization.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_read_only_session
   */
  readonly createReadOnlySession: MethodOf<typeof calls.createReadOnlySession>;
  /**
   * Start a session with a key that the service makes and returns, encrypted to your key. It is
   * yours unless `userId` names another user, for which you need a permission. With the id of a
   * parent organization and a credential of exactly one of its sub-organizations, the session is
   * for that sub-organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_read_write_session
   */
  readonly createReadWriteSession: MethodOf<typeof calls.createReadWriteSession>;
  /**
   * Store the ABI of an Ethereum contract or the IDL of a Solana program, so that policies can read
   * the arguments of its calls. An organization may have 100. A sub-organization does not use the
   * interfaces of its parent.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_smart_contract_interface
   */
  readonly createSmartContractInterface: MethodOf<typeof calls.createSmartContractInterface>;
  /**
   * Create a sub-organization with its own root users and quorum and, optionally, a wallet.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION`,
   * `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2`, `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3`,
   * `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4`, `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5`,
   * `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6` and `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_sub_organization
   */
  readonly createSubOrganization: MethodOf<typeof calls.createSubOrganization>;
  /**
   * Create users in an existing organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_CREATE_USERS`, `ACTIVITY_TYPE_CREATE_USERS_V2` and
   * `ACTIVITY_TYPE_CREATE_USERS_V4`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_users
   */
  readonly createUsers: MethodOf<typeof calls.createUsers>;
  /**
   * Create a user tag and add it to users.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_user_tag
   */
  readonly createUserTag: MethodOf<typeof calls.createUserTag>;
  /**
   * Create a wallet and derive its first accounts.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_wallet
   */
  readonly createWallet: MethodOf<typeof calls.createWallet>;
  /**
   * Derive additional accounts of an existing wallet.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_wallet_accounts
   */
  readonly createWalletAccounts: MethodOf<typeof calls.createWalletAccounts>;
  /**
   * Send events to a URL: those of the organization and of all its sub-organizations. An
   * organization may have 10 endpoints. Only `ACTIVITY_UPDATES` happen in this version; other types
   * are accepted and never sent.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#create_webhook_endpoint
   */
  readonly createWebhookEndpoint: MethodOf<typeof calls.createWebhookEndpoint>;
  /**
   * Remove API keys from a user.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_api_keys
   */
  readonly deleteApiKeys: MethodOf<typeof calls.deleteApiKeys>;
  /**
   * Remove passkeys from a user.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_authenticators
   */
  readonly deleteAuthenticators: MethodOf<typeof calls.deleteAuthenticators>;
  /**
   * Withdraw an invitation that has not been accepted. Its token stops working.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_invitation
   */
  readonly deleteInvitation: MethodOf<typeof calls.deleteInvitation>;
  /**
   * Delete a client of a provider that only speaks OAuth 2.0. Tokens that were made with it count
   * until they expire, for at most 15 minutes.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_oauth2_credential
   */
  readonly deleteOauth2Credential: MethodOf<typeof calls.deleteOauth2Credential>;
  /**
   * Remove social logins from a user, and end the user's logins: sessions of CREDENTIAL_TYPE_LOGIN
   * and CREDENTIAL_TYPE_OAUTH_KEY_P256. Users can do this for themselves.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_oauth_providers
   */
  readonly deleteOauthProviders: MethodOf<typeof calls.deleteOauthProviders>;
  /**
   * Delete a top-level organization with everything in it. Only its root quorum can do this, and
   * only if it has no sub-organizations and every wallet and private key was exported, or
   * `deleteWithoutExport` is true. Nothing brings it back.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_organization
   */
  readonly deleteOrganization: MethodOf<typeof calls.deleteOrganization>;
  /**
   * Delete several policies at once: all of them, or none if one does not exist.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_policies
   */
  readonly deletePolicies: MethodOf<typeof calls.deletePolicies>;
  /**
   * Delete a policy. From the next request, it no longer allows or denies anything. This includes
   * activities that are waiting for approvals.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_policy
   */
  readonly deletePolicy: MethodOf<typeof calls.deletePolicy>;
  /**
   * Delete private keys: all of them, or none if one does not exist or was never exported. Nothing
   * brings a deleted key back except a copy that was exported.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_private_keys
   */
  readonly deletePrivateKeys: MethodOf<typeof calls.deletePrivateKeys>;
  /**
   * Delete private key tags and remove them from all private keys: all of the tags, or none if one
   * does not exist. The keys stay. Policies that name a deleted tag no longer match any key.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_private_key_tags
   */
  readonly deletePrivateKeyTags: MethodOf<typeof calls.deletePrivateKeyTags>;
  /**
   * Delete the interface of a contract. Policies no longer see the arguments of its calls: a policy
   * that reads them cannot be evaluated, so it allows nothing.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_smart_contract_interface
   */
  readonly deleteSmartContractInterface: MethodOf<typeof calls.deleteSmartContractInterface>;
  /**
   * Delete the sub-organization that the request is sent to, with everything in it. Its own users
   * decide; its parent cannot delete it. Every wallet and private key must have been exported, or
   * `deleteWithoutExport` must be true. Nothing brings it back.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_sub_organization
   */
  readonly deleteSubOrganization: MethodOf<typeof calls.deleteSubOrganization>;
  /**
   * Delete users, with their credentials, sessions and started imports: all of the users, or none
   * if one cannot be deleted. Their approvals no longer count, and the invitations that they sent
   * end. Members of the root quorum cannot be deleted.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_users
   */
  readonly deleteUsers: MethodOf<typeof calls.deleteUsers>;
  /**
   * Delete user tags and remove them from all users: all of the tags, or none if one does not
   * exist. The users stay. Policies that name a deleted tag no longer match any user.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_user_tags
   */
  readonly deleteUserTags: MethodOf<typeof calls.deleteUserTags>;
  /**
   * Delete accounts of wallets: all of them, or none if one does not exist or was never exported.
   * The wallets stay, and can derive the same addresses again. An organization may have 1,000
   * deleted accounts in wallets that it keeps.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_wallet_accounts
   */
  readonly deleteWalletAccounts: MethodOf<typeof calls.deleteWalletAccounts>;
  /**
   * Delete wallets with their accounts: all of them, or none if one does not exist or was never
   * exported. Nothing brings a deleted wallet back except its mnemonic.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_wallets
   */
  readonly deleteWallets: MethodOf<typeof calls.deleteWallets>;
  /**
   * Delete a webhook endpoint. What waited for it is cancelled.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#delete_webhook_endpoint
   */
  readonly deleteWebhookEndpoint: MethodOf<typeof calls.deleteWebhookEndpoint>;
  /**
   * Send a mail that logs a user in. It has the key of a session, encrypted to the key of the
   * client that asks. A user of the parent organization may ask for the users of a
   * sub-organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_EMAIL_AUTH` and `ACTIVITY_TYPE_EMAIL_AUTH_V3`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#email_auth
   */
  readonly emailAuth: MethodOf<typeof calls.emailAuth>;
  /**
   * Export a private key, encrypted to your key.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#export_private_key
   */
  readonly exportPrivateKey: MethodOf<typeof calls.exportPrivateKey>;
  /**
   * Export the mnemonic of a wallet, encrypted to your key.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#export_wallet
   */
  readonly exportWallet: MethodOf<typeof calls.exportWallet>;
  /**
   * Export the private key of a wallet account, encrypted to your key.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#export_wallet_account
   */
  readonly exportWalletAccount: MethodOf<typeof calls.exportWalletAccount>;
  /**
   * Get an activity by its id.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_activity
   */
  readonly getActivity: MethodOf<typeof calls.getActivity>;
  /**
   * Get an API key by its id. A key that has expired is not found.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_api_key
   */
  readonly getApiKey: MethodOf<typeof calls.getApiKey>;
  /**
   * Get the API keys of a user that have not expired. Without `userId`, get those of all users.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_api_keys
   */
  readonly getApiKeys: MethodOf<typeof calls.getApiKeys>;
  /**
   * Get a passkey by its id.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_authenticator
   */
  readonly getAuthenticator: MethodOf<typeof calls.getAuthenticator>;
  /**
   * Get the passkeys of a user.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_authenticators
   */
  readonly getAuthenticators: MethodOf<typeof calls.getAuthenticators>;
  /**
   * Get a client of a provider that only speaks OAuth 2.0 by its id. Its secret stays encrypted.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_oauth2_credential
   */
  readonly getOauth2Credential: MethodOf<typeof calls.getOauth2Credential>;
  /**
   * Get the OAuth providers of a user. Without `userId`, get those of all users.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_oauth_providers
   */
  readonly getOauthProviders: MethodOf<typeof calls.getOauthProviders>;
  /**
   * Get an organization as a whole: its users, policies, private keys, invitations, tags, root
   * quorum, features, wallets and contract interfaces. If the records of its private keys have more
   * than 4 MiB together, the addresses of the last ones have no proof: get_private_key returns
   * each.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_organization
   */
  readonly getOrganization: MethodOf<typeof calls.getOrganization>;
  /**
   * Get the features that are switched on in an organization, and its root quorum.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_organization_configs
   */
  readonly getOrganizationConfigs: MethodOf<typeof calls.getOrganizationConfigs>;
  /**
   * Get a policy by its id.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_policy
   */
  readonly getPolicy: MethodOf<typeof calls.getPolicy>;
  /**
   * Get the outcome of each policy at every vote of an activity, as long as the service keeps the
   * policies of that time. A denied request leaves no activity: use the `traceId` of its error,
   * which is kept for a day. With `includeTrace`, the reasons are computed again from the policies
   * and records of that time.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_policy_evaluations
   */
  readonly getPolicyEvaluations: MethodOf<typeof calls.getPolicyEvaluations>;
  /**
   * Get the public key, addresses and tags of a private key by its id.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_private_key
   */
  readonly getPrivateKey: MethodOf<typeof calls.getPrivateKey>;
  /**
   * Get receipts of one activity, or a page of the organization's log: segments in order, each with
   * all of its receipts. The answer can be verified offline with the quorum public key.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_receipts
   */
  readonly getReceipts: MethodOf<typeof calls.getReceipts>;
  /**
   * Get the interface of a smart contract by its id.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_smart_contract_interface
   */
  readonly getSmartContractInterface: MethodOf<typeof calls.getSmartContractInterface>;
  /**
   * Get a user by id, with credentials and tags.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_user
   */
  readonly getUser: MethodOf<typeof calls.getUser>;
  /**
   * Get a wallet by its id.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_wallet
   */
  readonly getWallet: MethodOf<typeof calls.getWallet>;
  /**
   * Get an account of a wallet by its address or its path. If both are given, both must match.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#get_wallet_account
   */
  readonly getWalletAccount: MethodOf<typeof calls.getWalletAccount>;
  /**
   * Import a private key that you encrypted to the key of your import bundle.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#import_private_key
   */
  readonly importPrivateKey: MethodOf<typeof calls.importPrivateKey>;
  /**
   * Import a mnemonic that you encrypted to the key of your import bundle.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#import_wallet
   */
  readonly importWallet: MethodOf<typeof calls.importWallet>;
  /**
   * Get the key to which you encrypt a private key. It can be used for one import, within an hour,
   * and replaces your earlier one.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#init_import_private_key
   */
  readonly initImportPrivateKey: MethodOf<typeof calls.initImportPrivateKey>;
  /**
   * Get the key to which you encrypt a mnemonic. It can be used for one import, within an hour, and
   * replaces your earlier one.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#init_import_wallet
   */
  readonly initImportWallet: MethodOf<typeof calls.initImportWallet>;
  /**
   * Send a one-time code to an email address or a phone number, whether it belongs to a user or
   * not. verify_otp turns the code into a verification token, with which its holder logs in, signs
   * up or changes a contact. The client encrypts the code to the key in
   * `otpEncryptionTargetBundle`.
   *
   * `options.type` also takes `ACTIVITY_TYPE_INIT_OTP` and `ACTIVITY_TYPE_INIT_OTP_V2`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#init_otp
   */
  readonly initOtp: MethodOf<typeof calls.initOtp>;
  /**
   * Send a one-time code to the email address or phone number of a user. otp_auth exchanges it for
   * a key. A user of the parent organization may do this for a sub-organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_INIT_OTP_AUTH` and `ACTIVITY_TYPE_INIT_OTP_AUTH_V3`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#init_otp_auth
   */
  readonly initOtpAuth: MethodOf<typeof calls.initOtpAuth>;
  /**
   * Send a mail with which a user who lost every credential registers a passkey, by recover_user.
   * It has a key, encrypted to the key of the client that asks. Only the newest one counts. A user
   * of the parent organization may ask for the users of a sub-organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#init_user_email_recovery
   */
  readonly initUserEmailRecovery: MethodOf<typeof calls.initUserEmailRecovery>;
  /**
   * List activities of an organization, newest first. To get the next older page, give the id of
   * the page's last activity as `before`. A page of large activities ends before its `limit`, and
   * says so in `endedEarly`.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_activities
   */
  readonly listActivities: MethodOf<typeof calls.listActivities>;
  /**
   * List an organization’s clients of providers that only speak OAuth 2.0, oldest first. Their
   * secrets stay encrypted.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_oauth2_credentials
   */
  readonly listOauth2Credentials: MethodOf<typeof calls.listOauth2Credentials>;
  /**
   * List all policies of an organization, oldest first.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_policies
   */
  readonly listPolicies: MethodOf<typeof calls.listPolicies>;
  /**
   * List the public keys, addresses and tags of all private keys of an organization. If their
   * records have more than 4 MiB together, the addresses of the last ones have no proof:
   * get_private_key returns each.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_private_keys
   */
  readonly listPrivateKeys: MethodOf<typeof calls.listPrivateKeys>;
  /**
   * List all private key tags of an organization.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_private_key_tags
   */
  readonly listPrivateKeyTags: MethodOf<typeof calls.listPrivateKeyTags>;
  /**
   * List the smart contract interfaces of an organization, with their texts. If they have more than
   * 4 MiB together, the texts of the last ones are empty: get_smart_contract_interface returns
   * each.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_smart_contract_interfaces
   */
  readonly listSmartContractInterfaces: MethodOf<typeof calls.listSmartContractInterfaces>;
  /**
   * List the ids of a parent organization's sub-organizations. With a filter, list only those that
   * have the given name, a user with the given name, contact or credential, or a wallet account
   * with the given address.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_suborgs
   */
  readonly listSuborgs: MethodOf<typeof calls.listSuborgs>;
  /**
   * List all users of an organization, with their credentials and tags.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_users
   */
  readonly listUsers: MethodOf<typeof calls.listUsers>;
  /**
   * List all user tags of an organization.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_user_tags
   */
  readonly listUserTags: MethodOf<typeof calls.listUserTags>;
  /**
   * List the ids of a parent organization's sub-organizations in which a user has proved, by a
   * verification token, to have the given email address or phone number, or, by an OIDC token, the
   * social login that the given token is about. Without a filter, list those in which a user has
   * proved any contact. list_suborgs finds contacts and social logins that were not proved too.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_verified_suborgs
   */
  readonly listVerifiedSuborgs: MethodOf<typeof calls.listVerifiedSuborgs>;
  /**
   * List the accounts of a wallet, or of all wallets without `walletId`, oldest first. To get the
   * next page, give the id of the page's last account as `after`. A page that is not full is the
   * last one.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_wallet_accounts
   */
  readonly listWalletAccounts: MethodOf<typeof calls.listWalletAccounts>;
  /**
   * List all wallets of an organization.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_wallets
   */
  readonly listWallets: MethodOf<typeof calls.listWallets>;
  /**
   * List what was sent to the webhook endpoints of an organization and what waits, newest first.
   * Deliveries that ended are kept for seven days.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_webhook_deliveries
   */
  readonly listWebhookDeliveries: MethodOf<typeof calls.listWebhookDeliveries>;
  /**
   * List the webhook endpoints of an organization, oldest first. Those of its parent get its events
   * too and are not in the list.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#list_webhook_endpoints
   */
  readonly listWebhookEndpoints: MethodOf<typeof calls.listWebhookEndpoints>;
  /**
   * End all sessions of a user, read-only ones included, and all API keys that expire. Credentials
   * that do not expire stay.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#log_out_everywhere
   */
  readonly logOutEverywhere: MethodOf<typeof calls.logOutEverywhere>;
  /**
   * Start a session of the user whose social login the token proves, with a key that the service
   * makes and returns, encrypted to your key. The token's `nonce` (or `tknonce`) must be the
   * SHA-256 digest of the text of `targetPublicKey`, in lower-case hex. Social logins are for users
   * of sub-organizations.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#oauth
   */
  readonly oauth: MethodOf<typeof calls.oauth>;
  /**
   * Exchange the code of a provider that only speaks OAuth 2.0. The signer asks the provider who
   * the person is, and signs a token that every request with an `oidcToken` accepts for 15 minutes:
   * in the organization whose credential it is, and in its sub-organizations. A code works once.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#oauth2_authenticate
   */
  readonly oauth2Authenticate: MethodOf<typeof calls.oauth2Authenticate>;
  /**
   * Start a session of the user whose social login the token proves: the key that you made stamps
   * requests as this user until it expires. The token's `nonce` (or `tknonce`) must be the SHA-256
   * digest of the text of `publicKey`, in lower-case hex. Social logins are for users of
   * sub-organizations.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#oauth_login
   */
  readonly oauthLogin: MethodOf<typeof calls.oauthLogin>;
  /**
   * Exchange a code that init_otp_auth sent for a key of the user whom it was sent to. The key is
   * encrypted to yours and expires. A code works once. Three wrong attempts lock it. The request
   * has the code in the clear, where the service's host can read it: new clients use init_otp,
   * verify_otp and otp_login.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#otp_auth
   */
  readonly otpAuth: MethodOf<typeof calls.otpAuth>;
  /**
   * Start a session for the user who has the contact that a verification token proves. The key that
   * the token names signs the request's public key (`clientSignature`), so nobody else can use the
   * token. A user of the parent organization may do this for a sub-organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_OTP_LOGIN`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#otp_login
   */
  readonly otpLogin: MethodOf<typeof calls.otpLogin>;
  /**
   * Register a passkey of a user whom init_user_email_recovery sent a mail. The key in the mail
   * stamps this request, for its own user alone, and counts once.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#recover_user
   */
  readonly recoverUser: MethodOf<typeof calls.recoverUser>;
  /**
   * Reject an activity that needs consensus. A single rejection by a user whose vote counts ends
   * it.
   *
   * @throws `ActivityFailed`, `InvalidField`, `NotFound` or another `KeyhearthError`.
   * @see /api#reject_activity
   */
  readonly rejectActivity: MethodOf<typeof calls.rejectActivity>;
  /**
   * Switch a feature off in an organization. Only the root quorum can do this. The result lists all
   * features that are left. A feature that is not set stays so.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#remove_organization_feature
   */
  readonly removeOrganizationFeature: MethodOf<typeof calls.removeOrganizationFeature>;
  /**
   * Send a delivery of one of the organization's own endpoints again, with the same event id: one
   * that ended, or that waits for an endpoint that fails, which is then tried at once.
   * list_webhook_deliveries lists them.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#resend_webhook_delivery
   */
  readonly resendWebhookDelivery: MethodOf<typeof calls.resendWebhookDelivery>;
  /**
   * Switch a feature on in an organization, or replace its value. Only the root quorum can do this.
   * The result lists all features.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#set_organization_feature
   */
  readonly setOrganizationFeature: MethodOf<typeof calls.setOrganizationFeature>;
  /**
   * Sign a raw payload with a private key or wallet account.
   *
   * `options.type` also takes `ACTIVITY_TYPE_SIGN_RAW_PAYLOAD`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#sign_raw_payload
   */
  readonly signRawPayload: MethodOf<typeof calls.signRawPayload>;
  /**
   * Sign several raw payloads with the same key and the same parameters.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#sign_raw_payloads
   */
  readonly signRawPayloads: MethodOf<typeof calls.signRawPayloads>;
  /**
   * Sign a transaction with a private key or wallet account. A transaction that does not decode
   * completely is refused.
   *
   * `options.type` also takes `ACTIVITY_TYPE_SIGN_TRANSACTION`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#sign_transaction
   */
  readonly signTransaction: MethodOf<typeof calls.signTransaction>;
  /**
   * Find out how an activity would be decided, by which policies and why, and whose approvals it
   * would still need. Nothing is written, and no key is used. Each user counts as approving with
   * their first API key.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#simulate_activity
   */
  readonly simulateActivity: MethodOf<typeof calls.simulateActivity>;
  /**
   * Start a session: a key that you made stamps requests as you until it expires. A key that nobody
   * has registered can stamp this request too, in `X-Stamp-Attested`, with a verification token or
   * an OIDC token that was made for it: then `publicKey` is that key itself, and otherwise it is a
   * new one. With the id of a parent organization and a credential of exactly one of its
   * sub-organizations, the session is for that sub-organization.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#stamp_login
   */
  readonly stampLogin: MethodOf<typeof calls.stampLogin>;
  /**
   * Replace a client of a provider that only speaks OAuth 2.0: its provider, its id and its secret.
   * Social logins that people registered with another client stay, and log nobody in with this one.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_oauth2_credential
   */
  readonly updateOauth2Credential: MethodOf<typeof calls.updateOauth2Credential>;
  /**
   * Give an organization another name. Only the root quorum can do this.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_organization_name
   */
  readonly updateOrganizationName: MethodOf<typeof calls.updateOrganizationName>;
  /**
   * Change a policy. Only the given fields change. An empty condition, consensus or time removes
   * that clause.
   *
   * `options.type` also takes `ACTIVITY_TYPE_UPDATE_POLICY`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_policy
   */
  readonly updatePolicy: MethodOf<typeof calls.updatePolicy>;
  /**
   * Rename a private key tag, add it to private keys and remove it from others: all of it or
   * nothing.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_private_key_tag
   */
  readonly updatePrivateKeyTag: MethodOf<typeof calls.updatePrivateKeyTag>;
  /**
   * Set the threshold and members of the root quorum. Only the root quorum can do this.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_root_quorum
   */
  readonly updateRootQuorum: MethodOf<typeof calls.updateRootQuorum>;
  /**
   * Change the name, the contacts or the tags of a user. What you leave out stays. `userTagIds`
   * replaces all of the user's tags. A new contact is not verified; update_user_email and
   * update_user_phone_number take a proof. Only the root quorum can change the contacts of a root
   * user.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_user
   */
  readonly updateUser: MethodOf<typeof calls.updateUser>;
  /**
   * Change the email address of a user, or remove it with an empty one. With a verification token
   * of this address that names the key of the stamp, it is verified; with a token for another key,
   * or for none, it is not. Only the root quorum can change the address of a root user.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_user_email
   */
  readonly updateUserEmail: MethodOf<typeof calls.updateUserEmail>;
  /**
   * Give a user another name.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_user_name
   */
  readonly updateUserName: MethodOf<typeof calls.updateUserName>;
  /**
   * Change the phone number of a user, or remove it with an empty one. With a verification token of
   * this number that names the key of the stamp, it is verified; with a token for another key, or
   * for none, it is not. Only the root quorum can change the number of a root user.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_user_phone_number
   */
  readonly updateUserPhoneNumber: MethodOf<typeof calls.updateUserPhoneNumber>;
  /**
   * Rename a user tag, add it to users and remove it from others: all of it or nothing. Policies
   * may give permissions by tag.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_user_tag
   */
  readonly updateUserTag: MethodOf<typeof calls.updateUserTag>;
  /**
   * Give a wallet another name. Its accounts and keys do not change.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_wallet
   */
  readonly updateWallet: MethodOf<typeof calls.updateWallet>;
  /**
   * Change a webhook endpoint. Only the given fields change. Events that wait are sent to the new
   * URL. An endpoint that is not active gets nothing, and what waited for it is cancelled.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#update_webhook_endpoint
   */
  readonly updateWebhookEndpoint: MethodOf<typeof calls.updateWebhookEndpoint>;
  /**
   * Exchange a code that init_otp sent for a verification token. A code works once. Three wrong
   * attempts lock it. The first version has the code in the clear, where the service's host can
   * read it: use the latest. A token of a parent organization counts in all of its
   * sub-organizations, any other only in its own organization.
   *
   * `options.type` also takes `ACTIVITY_TYPE_VERIFY_OTP`.
   *
   * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
   * @see /api#verify_otp
   */
  readonly verifyOtp: MethodOf<typeof calls.verifyOtp>;
  /**
   * Get the user and organization that the credential belongs to. With the id of a parent
   * organization and a credential of exactly one of its sub-organizations, the answer is that
   * sub-organization.
   *
   * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
   * @see /api#whoami
   */
  readonly whoami: MethodOf<typeof calls.whoami>;
};
