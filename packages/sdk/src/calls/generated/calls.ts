// GENERATED from contract/openapi.json by packages/sdk/scripts/generate.ts. Do not edit.

import { type BareQuery, type BareSubmission, type Query, query, type Submission, submission } from "../call.ts";
import type { Decided } from "../../connection/options.ts";
import type {
  AcceptInvitationIntent,
  AcceptInvitationIntentV2,
  AcceptInvitationResult,
  ActivityResponse,
  ApproveActivityIntent,
  CreateApiKeysIntent,
  CreateApiKeysIntentV2,
  CreateApiKeysResult,
  CreateApiOnlyUsersIntent,
  CreateApiOnlyUsersResult,
  CreateAuthenticatorsIntent,
  CreateAuthenticatorsIntentV2,
  CreateAuthenticatorsResult,
  CreateInvitationsIntent,
  CreateInvitationsResult,
  CreateOauth2CredentialIntent,
  CreateOauth2CredentialResult,
  CreateOauthProvidersIntent,
  CreateOauthProvidersIntentV2,
  CreateOauthProvidersResult,
  CreateOauthProvidersResultV2,
  CreateOrganizationIntent,
  CreateOrganizationIntentV2,
  CreateOrganizationResult,
  CreatePoliciesIntent,
  CreatePoliciesResult,
  CreatePolicyIntent,
  CreatePolicyIntentV2,
  CreatePolicyIntentV3,
  CreatePolicyResult,
  CreatePrivateKeysIntent,
  CreatePrivateKeysIntentV2,
  CreatePrivateKeysResult,
  CreatePrivateKeysResultV2,
  CreatePrivateKeyTagIntent,
  CreatePrivateKeyTagResult,
  CreateReadOnlySessionIntent,
  CreateReadOnlySessionResult,
  CreateReadWriteSessionIntent,
  CreateReadWriteSessionIntentV2,
  CreateReadWriteSessionResult,
  CreateReadWriteSessionResultV2,
  CreateSmartContractInterfaceIntent,
  CreateSmartContractInterfaceResult,
  CreateSubOrganizationIntent,
  CreateSubOrganizationIntentV2,
  CreateSubOrganizationIntentV3,
  CreateSubOrganizationIntentV4,
  CreateSubOrganizationIntentV5,
  CreateSubOrganizationIntentV6,
  CreateSubOrganizationIntentV7,
  CreateSubOrganizationIntentV8,
  CreateSubOrganizationResult,
  CreateSubOrganizationResultV3,
  CreateSubOrganizationResultV4,
  CreateSubOrganizationResultV5,
  CreateSubOrganizationResultV6,
  CreateSubOrganizationResultV7,
  CreateSubOrganizationResultV8,
  CreateUsersIntent,
  CreateUsersIntentV2,
  CreateUsersIntentV3,
  CreateUsersIntentV4,
  CreateUsersResult,
  CreateUserTagIntent,
  CreateUserTagResult,
  CreateWalletAccountsIntent,
  CreateWalletAccountsResult,
  CreateWalletIntent,
  CreateWalletResult,
  CreateWebhookEndpointIntent,
  CreateWebhookEndpointResult,
  DeleteApiKeysIntent,
  DeleteApiKeysResult,
  DeleteAuthenticatorsIntent,
  DeleteAuthenticatorsResult,
  DeleteInvitationIntent,
  DeleteInvitationResult,
  DeleteOauth2CredentialIntent,
  DeleteOauth2CredentialResult,
  DeleteOauthProvidersIntent,
  DeleteOauthProvidersResult,
  DeleteOrganizationIntent,
  DeleteOrganizationResult,
  DeletePoliciesIntent,
  DeletePoliciesResult,
  DeletePolicyIntent,
  DeletePolicyResult,
  DeletePrivateKeysIntent,
  DeletePrivateKeysResult,
  DeletePrivateKeyTagsIntent,
  DeletePrivateKeyTagsResult,
  DeleteSmartContractInterfaceIntent,
  DeleteSmartContractInterfaceResult,
  DeleteSubOrganizationIntent,
  DeleteSubOrganizationResult,
  DeleteUsersIntent,
  DeleteUsersResult,
  DeleteUserTagsIntent,
  DeleteUserTagsResult,
  DeleteWalletAccountsIntent,
  DeleteWalletAccountsResult,
  DeleteWalletsIntent,
  DeleteWalletsResult,
  DeleteWebhookEndpointIntent,
  DeleteWebhookEndpointResult,
  EmailAuthIntent,
  EmailAuthIntentV2,
  EmailAuthIntentV3,
  EmailAuthResult,
  ExportPrivateKeyIntent,
  ExportPrivateKeyResult,
  ExportWalletAccountIntent,
  ExportWalletAccountResult,
  ExportWalletIntent,
  ExportWalletResult,
  GetActivitiesRequest,
  GetActivitiesResponse,
  GetActivityRequest,
  GetApiKeyRequest,
  GetApiKeyResponse,
  GetApiKeysRequest,
  GetApiKeysResponse,
  GetAuthenticatorRequest,
  GetAuthenticatorResponse,
  GetAuthenticatorsRequest,
  GetAuthenticatorsResponse,
  GetOauth2CredentialRequest,
  GetOauth2CredentialResponse,
  GetOauthProvidersRequest,
  GetOauthProvidersResponse,
  GetOrganizationConfigsRequest,
  GetOrganizationConfigsResponse,
  GetOrganizationRequest,
  GetOrganizationResponse,
  GetPoliciesRequest,
  GetPoliciesResponse,
  GetPolicyEvaluationsRequest,
  GetPolicyEvaluationsResponse,
  GetPolicyRequest,
  GetPolicyResponse,
  GetPrivateKeyRequest,
  GetPrivateKeyResponse,
  GetPrivateKeysRequest,
  GetPrivateKeysResponse,
  GetReceiptsRequest,
  GetReceiptsResponse,
  GetSmartContractInterfaceRequest,
  GetSmartContractInterfaceResponse,
  GetSmartContractInterfacesRequest,
  GetSmartContractInterfacesResponse,
  GetSubOrgIdsRequest,
  GetSubOrgIdsResponse,
  GetUserRequest,
  GetUserResponse,
  GetUsersRequest,
  GetUsersResponse,
  GetVerifiedSubOrgIdsRequest,
  GetVerifiedSubOrgIdsResponse,
  GetWalletAccountRequest,
  GetWalletAccountResponse,
  GetWalletAccountsRequest,
  GetWalletAccountsResponse,
  GetWalletRequest,
  GetWalletResponse,
  GetWalletsRequest,
  GetWalletsResponse,
  GetWhoamiRequest,
  GetWhoamiResponse,
  ImportPrivateKeyIntent,
  ImportPrivateKeyResult,
  ImportWalletIntent,
  ImportWalletResult,
  InitImportPrivateKeyIntent,
  InitImportPrivateKeyResult,
  InitImportWalletIntent,
  InitImportWalletResult,
  InitOtpAuthIntent,
  InitOtpAuthIntentV2,
  InitOtpAuthIntentV3,
  InitOtpAuthResult,
  InitOtpAuthResultV2,
  InitOtpIntent,
  InitOtpIntentV2,
  InitOtpIntentV3,
  InitOtpResult,
  InitOtpResultV2,
  InitUserEmailRecoveryIntent,
  InitUserEmailRecoveryIntentV2,
  InitUserEmailRecoveryResult,
  ListOauth2CredentialsRequest,
  ListOauth2CredentialsResponse,
  ListPrivateKeyTagsRequest,
  ListPrivateKeyTagsResponse,
  ListUserTagsRequest,
  ListUserTagsResponse,
  ListWebhookDeliveriesRequest,
  ListWebhookDeliveriesResponse,
  ListWebhookEndpointsRequest,
  ListWebhookEndpointsResponse,
  LogOutEverywhereIntent,
  LogOutEverywhereResult,
  Oauth2AuthenticateIntent,
  Oauth2AuthenticateResult,
  OauthIntent,
  OauthLoginIntent,
  OauthLoginResult,
  OauthResult,
  OtpAuthIntent,
  OtpAuthResult,
  OtpLoginIntent,
  OtpLoginIntentV2,
  OtpLoginResult,
  RecoverUserIntent,
  RecoverUserResult,
  RejectActivityIntent,
  RemoveOrganizationFeatureIntent,
  RemoveOrganizationFeatureResult,
  ResendWebhookDeliveryIntent,
  ResendWebhookDeliveryResult,
  SetOrganizationFeatureIntent,
  SetOrganizationFeatureResult,
  SignRawPayloadIntent,
  SignRawPayloadIntentV2,
  SignRawPayloadResult,
  SignRawPayloadsIntent,
  SignRawPayloadsResult,
  SignTransactionIntent,
  SignTransactionIntentV2,
  SignTransactionResult,
  SimulateActivityRequest,
  SimulateActivityResponse,
  StampLoginIntent,
  StampLoginResult,
  UpdateOauth2CredentialIntent,
  UpdateOauth2CredentialResult,
  UpdateOrganizationNameIntent,
  UpdateOrganizationNameResult,
  UpdatePolicyIntent,
  UpdatePolicyIntentV2,
  UpdatePolicyResult,
  UpdatePolicyResultV2,
  UpdatePrivateKeyTagIntent,
  UpdatePrivateKeyTagResult,
  UpdateRootQuorumIntent,
  UpdateRootQuorumResult,
  UpdateUserEmailIntent,
  UpdateUserEmailResult,
  UpdateUserIntent,
  UpdateUserNameIntent,
  UpdateUserNameResult,
  UpdateUserPhoneNumberIntent,
  UpdateUserPhoneNumberResult,
  UpdateUserResult,
  UpdateUserTagIntent,
  UpdateUserTagResult,
  UpdateWalletIntent,
  UpdateWalletResult,
  UpdateWebhookEndpointIntent,
  UpdateWebhookEndpointResult,
  VerifyOtpIntent,
  VerifyOtpIntentV2,
  VerifyOtpResult,
} from "../../generated/types.ts";

/** The versions of `acceptInvitation`, by activity type. */
export type AcceptInvitationVersions = {
  ACTIVITY_TYPE_ACCEPT_INVITATION: { parameters: AcceptInvitationIntent; result: AcceptInvitationResult };
  ACTIVITY_TYPE_ACCEPT_INVITATION_V2: { parameters: AcceptInvitationIntentV2; result: AcceptInvitationResult };
};

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
export const acceptInvitation: Submission<AcceptInvitationVersions, "ACTIVITY_TYPE_ACCEPT_INVITATION_V2"> = /* @__PURE__ */ submission("accept_invitation", "ACTIVITY_TYPE_ACCEPT_INVITATION_V2", {
  ACTIVITY_TYPE_ACCEPT_INVITATION: "acceptInvitationResult",
  ACTIVITY_TYPE_ACCEPT_INVITATION_V2: "acceptInvitationResult",
});

/** The versions of `approveActivity`, by activity type. */
export type ApproveActivityVersions = {
  ACTIVITY_TYPE_APPROVE_ACTIVITY: { parameters: ApproveActivityIntent; result: Decided };
};

/**
 * Approve an activity that needs consensus. Returns the approved activity, with its result after
 * the last approval.
 *
 * @throws `ActivityFailed`, `InvalidField`, `NotFound` or another `KeyhearthError`.
 * @see /api#approve_activity
 */
export const approveActivity: Submission<ApproveActivityVersions, "ACTIVITY_TYPE_APPROVE_ACTIVITY"> = /* @__PURE__ */ submission("approve_activity", "ACTIVITY_TYPE_APPROVE_ACTIVITY", {
  ACTIVITY_TYPE_APPROVE_ACTIVITY: "*",
});

/** The versions of `createApiKeys`, by activity type. */
export type CreateApiKeysVersions = {
  ACTIVITY_TYPE_CREATE_API_KEYS: { parameters: CreateApiKeysIntent; result: CreateApiKeysResult };
  ACTIVITY_TYPE_CREATE_API_KEYS_V2: { parameters: CreateApiKeysIntentV2; result: CreateApiKeysResult };
};

/**
 * Add API keys to an existing user.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_API_KEYS`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_api_keys
 */
export const createApiKeys: Submission<CreateApiKeysVersions, "ACTIVITY_TYPE_CREATE_API_KEYS_V2"> = /* @__PURE__ */ submission("create_api_keys", "ACTIVITY_TYPE_CREATE_API_KEYS_V2", {
  ACTIVITY_TYPE_CREATE_API_KEYS: "createApiKeysResult",
  ACTIVITY_TYPE_CREATE_API_KEYS_V2: "createApiKeysResult",
});

/** The versions of `createApiOnlyUsers`, by activity type. */
export type CreateApiOnlyUsersVersions = {
  ACTIVITY_TYPE_CREATE_API_ONLY_USERS: { parameters: CreateApiOnlyUsersIntent; result: CreateApiOnlyUsersResult };
};

/**
 * Create users who stamp with P-256 API keys, such as programs. They can get other credentials
 * later.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_api_only_users
 */
export const createApiOnlyUsers: Submission<CreateApiOnlyUsersVersions, "ACTIVITY_TYPE_CREATE_API_ONLY_USERS"> = /* @__PURE__ */ submission("create_api_only_users", "ACTIVITY_TYPE_CREATE_API_ONLY_USERS", {
  ACTIVITY_TYPE_CREATE_API_ONLY_USERS: "createApiOnlyUsersResult",
});

/** The versions of `createAuthenticators`, by activity type. */
export type CreateAuthenticatorsVersions = {
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS: { parameters: CreateAuthenticatorsIntent; result: CreateAuthenticatorsResult };
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: { parameters: CreateAuthenticatorsIntentV2; result: CreateAuthenticatorsResult };
};

/**
 * Add passkeys to an existing user.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_AUTHENTICATORS`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_authenticators
 */
export const createAuthenticators: Submission<CreateAuthenticatorsVersions, "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"> = /* @__PURE__ */ submission("create_authenticators", "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2", {
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS: "createAuthenticatorsResult",
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: "createAuthenticatorsResult",
});

/** The versions of `createInvitations`, by activity type. */
export type CreateInvitationsVersions = {
  ACTIVITY_TYPE_CREATE_INVITATIONS: { parameters: CreateInvitationsIntent; result: CreateInvitationsResult };
};

/**
 * Invite people to join an organization. An invitation works once and within a week, and ends when
 * the user who sent or created it is deleted. Each receiver gets an email with the token that
 * accepts the invitation.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_invitations
 */
export const createInvitations: Submission<CreateInvitationsVersions, "ACTIVITY_TYPE_CREATE_INVITATIONS"> = /* @__PURE__ */ submission("create_invitations", "ACTIVITY_TYPE_CREATE_INVITATIONS", {
  ACTIVITY_TYPE_CREATE_INVITATIONS: "createInvitationsResult",
});

/** The versions of `createOauth2Credential`, by activity type. */
export type CreateOauth2CredentialVersions = {
  ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL: { parameters: CreateOauth2CredentialIntent; result: CreateOauth2CredentialResult };
};

/**
 * Store your application’s client at a provider that only speaks OAuth 2.0, with its secret, so
 * that people can log in with it. An organization may have 10, each client once.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_oauth2_credential
 */
export const createOauth2Credential: Submission<CreateOauth2CredentialVersions, "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL"> = /* @__PURE__ */ submission("create_oauth2_credential", "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL", {
  ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL: "createOauth2CredentialResult",
});

/** The versions of `createOauthProviders`, by activity type. */
export type CreateOauthProvidersVersions = {
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: { parameters: CreateOauthProvidersIntent; result: CreateOauthProvidersResult };
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2: { parameters: CreateOauthProvidersIntentV2; result: CreateOauthProvidersResultV2 };
};

/**
 * Add social logins to an existing user: the user is whoever a provider's token says that they are.
 * An identity (issuer, audience and subject) belongs to one user of an organization. A token proves
 * it if its nonce is the digest of the public key, in compressed lower-case hex, that stamps this
 * request. Otherwise it is only stated, and logs its user in only with the id of this organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_oauth_providers
 */
export const createOauthProviders: Submission<CreateOauthProvidersVersions, "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS"> = /* @__PURE__ */ submission("create_oauth_providers", "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS", {
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: "createOauthProvidersResult",
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2: "createOauthProvidersResultV2",
});

/** The versions of `createOrganization`, by activity type. */
export type CreateOrganizationVersions = {
  ACTIVITY_TYPE_CREATE_ORGANIZATION: { parameters: CreateOrganizationIntent; result: CreateOrganizationResult };
  ACTIVITY_TYPE_CREATE_ORGANIZATION_V2: { parameters: CreateOrganizationIntentV2; result: CreateOrganizationResult };
};

/**
 * Create a top-level organization with one root user. Stamp the request with the credential that it
 * registers, and send it to the `rootOrganizationId` of /.well-known/keyhearth.json. The service
 * must be open for signup. The activity belongs to the new organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_ORGANIZATION`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_organization
 */
export const createOrganization: Submission<CreateOrganizationVersions, "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2"> = /* @__PURE__ */ submission("create_organization", "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2", {
  ACTIVITY_TYPE_CREATE_ORGANIZATION: "createOrganizationResult",
  ACTIVITY_TYPE_CREATE_ORGANIZATION_V2: "createOrganizationResult",
});

/** The versions of `createPolicies`, by activity type. */
export type CreatePoliciesVersions = {
  ACTIVITY_TYPE_CREATE_POLICIES: { parameters: CreatePoliciesIntent; result: CreatePoliciesResult };
};

/**
 * Create several policies at once: all of them, or none if one is refused.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_policies
 */
export const createPolicies: Submission<CreatePoliciesVersions, "ACTIVITY_TYPE_CREATE_POLICIES"> = /* @__PURE__ */ submission("create_policies", "ACTIVITY_TYPE_CREATE_POLICIES", {
  ACTIVITY_TYPE_CREATE_POLICIES: "createPoliciesResult",
});

/** The versions of `createPolicy`, by activity type. */
export type CreatePolicyVersions = {
  ACTIVITY_TYPE_CREATE_POLICY: { parameters: CreatePolicyIntent; result: CreatePolicyResult };
  ACTIVITY_TYPE_CREATE_POLICY_V2: { parameters: CreatePolicyIntentV2; result: CreatePolicyResult };
  ACTIVITY_TYPE_CREATE_POLICY_V3: { parameters: CreatePolicyIntentV3; result: CreatePolicyResult };
};

/**
 * Create a policy: what it allows or denies, who must agree, and when. It applies to every request
 * after this one.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_POLICY` and `ACTIVITY_TYPE_CREATE_POLICY_V2`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_policy
 */
export const createPolicy: Submission<CreatePolicyVersions, "ACTIVITY_TYPE_CREATE_POLICY_V3"> = /* @__PURE__ */ submission("create_policy", "ACTIVITY_TYPE_CREATE_POLICY_V3", {
  ACTIVITY_TYPE_CREATE_POLICY: "createPolicyResult",
  ACTIVITY_TYPE_CREATE_POLICY_V2: "createPolicyResult",
  ACTIVITY_TYPE_CREATE_POLICY_V3: "createPolicyResult",
});

/** The versions of `createPrivateKeys`, by activity type. */
export type CreatePrivateKeysVersions = {
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: { parameters: CreatePrivateKeysIntent; result: CreatePrivateKeysResult };
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2: { parameters: CreatePrivateKeysIntentV2; result: CreatePrivateKeysResultV2 };
};

/**
 * Create new private keys. Those of one request may have 300 addresses together, and the others
 * follow in another request.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_PRIVATE_KEYS`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_private_keys
 */
export const createPrivateKeys: Submission<CreatePrivateKeysVersions, "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"> = /* @__PURE__ */ submission("create_private_keys", "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2", {
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: "createPrivateKeysResult",
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2: "createPrivateKeysResultV2",
});

/** The versions of `createPrivateKeyTag`, by activity type. */
export type CreatePrivateKeyTagVersions = {
  ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG: { parameters: CreatePrivateKeyTagIntent; result: CreatePrivateKeyTagResult };
};

/**
 * Create a private key tag and add it to private keys.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_private_key_tag
 */
export const createPrivateKeyTag: Submission<CreatePrivateKeyTagVersions, "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG"> = /* @__PURE__ */ submission("create_private_key_tag", "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG", {
  ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG: "createPrivateKeyTagResult",
});

/** The versions of `createReadOnlySession`, by activity type. */
export type CreateReadOnlySessionVersions = {
  ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION: { parameters: CreateReadOnlySessionIntent; result: CreateReadOnlySessionResult };
};

/**
 * Get a token that you send in `X-Session` instead of a stamp. It permits queries, and only those,
 * for one hour. With the id of a parent organization and a credential of exactly one of its
 * sub-organizations, the session is for that sub-organization.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_read_only_session
 */
export const createReadOnlySession: BareSubmission<CreateReadOnlySessionVersions, "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION"> = /* @__PURE__ */ submission("create_read_only_session", "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION", {
  ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION: "createReadOnlySessionResult",
});

/** The versions of `createReadWriteSession`, by activity type. */
export type CreateReadWriteSessionVersions = {
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: { parameters: CreateReadWriteSessionIntent; result: CreateReadWriteSessionResult };
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2: { parameters: CreateReadWriteSessionIntentV2; result: CreateReadWriteSessionResultV2 };
};

/**
 * Start a session with a key that the service makes and returns, encrypted to your key. It is yours
 * unless `userId` names another user, for which you need a permission. With the id of a parent
 * organization and a credential of exactly one of its sub-organizations, the session is for that
 * sub-organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_read_write_session
 */
export const createReadWriteSession: Submission<CreateReadWriteSessionVersions, "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2"> = /* @__PURE__ */ submission("create_read_write_session", "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2", {
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: "createReadWriteSessionResult",
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2: "createReadWriteSessionResultV2",
});

/** The versions of `createSmartContractInterface`, by activity type. */
export type CreateSmartContractInterfaceVersions = {
  ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE: { parameters: CreateSmartContractInterfaceIntent; result: CreateSmartContractInterfaceResult };
};

/**
 * Store the ABI of an Ethereum contract or the IDL of a Solana program, so that policies can read
 * the arguments of its calls. An organization may have 100. A sub-organization does not use the
 * interfaces of its parent.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_smart_contract_interface
 */
export const createSmartContractInterface: Submission<CreateSmartContractInterfaceVersions, "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE"> = /* @__PURE__ */ submission("create_smart_contract_interface", "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE", {
  ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE: "createSmartContractInterfaceResult",
});

/** The versions of `createSubOrganization`, by activity type. */
export type CreateSubOrganizationVersions = {
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: { parameters: CreateSubOrganizationIntent; result: CreateSubOrganizationResult };
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: { parameters: CreateSubOrganizationIntentV2; result: CreateSubOrganizationResult };
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: { parameters: CreateSubOrganizationIntentV3; result: CreateSubOrganizationResultV3 };
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: { parameters: CreateSubOrganizationIntentV4; result: CreateSubOrganizationResultV4 };
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: { parameters: CreateSubOrganizationIntentV5; result: CreateSubOrganizationResultV5 };
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: { parameters: CreateSubOrganizationIntentV6; result: CreateSubOrganizationResultV6 };
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7: { parameters: CreateSubOrganizationIntentV7; result: CreateSubOrganizationResultV7 };
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8: { parameters: CreateSubOrganizationIntentV8; result: CreateSubOrganizationResultV8 };
};

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
export const createSubOrganization: Submission<CreateSubOrganizationVersions, "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"> = /* @__PURE__ */ submission("create_sub_organization", "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7", {
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: "createSubOrganizationResult",
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: "createSubOrganizationResult",
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: "createSubOrganizationResultV3",
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: "createSubOrganizationResultV4",
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: "createSubOrganizationResultV5",
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: "createSubOrganizationResultV6",
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7: "createSubOrganizationResultV7",
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8: "createSubOrganizationResultV8",
});

/** The versions of `createUsers`, by activity type. */
export type CreateUsersVersions = {
  ACTIVITY_TYPE_CREATE_USERS: { parameters: CreateUsersIntent; result: CreateUsersResult };
  ACTIVITY_TYPE_CREATE_USERS_V2: { parameters: CreateUsersIntentV2; result: CreateUsersResult };
  ACTIVITY_TYPE_CREATE_USERS_V3: { parameters: CreateUsersIntentV3; result: CreateUsersResult };
  ACTIVITY_TYPE_CREATE_USERS_V4: { parameters: CreateUsersIntentV4; result: CreateUsersResult };
};

/**
 * Create users in an existing organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_CREATE_USERS`, `ACTIVITY_TYPE_CREATE_USERS_V2` and
 * `ACTIVITY_TYPE_CREATE_USERS_V4`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_users
 */
export const createUsers: Submission<CreateUsersVersions, "ACTIVITY_TYPE_CREATE_USERS_V3"> = /* @__PURE__ */ submission("create_users", "ACTIVITY_TYPE_CREATE_USERS_V3", {
  ACTIVITY_TYPE_CREATE_USERS: "createUsersResult",
  ACTIVITY_TYPE_CREATE_USERS_V2: "createUsersResult",
  ACTIVITY_TYPE_CREATE_USERS_V3: "createUsersResult",
  ACTIVITY_TYPE_CREATE_USERS_V4: "createUsersResult",
});

/** The versions of `createUserTag`, by activity type. */
export type CreateUserTagVersions = {
  ACTIVITY_TYPE_CREATE_USER_TAG: { parameters: CreateUserTagIntent; result: CreateUserTagResult };
};

/**
 * Create a user tag and add it to users.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_user_tag
 */
export const createUserTag: Submission<CreateUserTagVersions, "ACTIVITY_TYPE_CREATE_USER_TAG"> = /* @__PURE__ */ submission("create_user_tag", "ACTIVITY_TYPE_CREATE_USER_TAG", {
  ACTIVITY_TYPE_CREATE_USER_TAG: "createUserTagResult",
});

/** The versions of `createWallet`, by activity type. */
export type CreateWalletVersions = {
  ACTIVITY_TYPE_CREATE_WALLET: { parameters: CreateWalletIntent; result: CreateWalletResult };
};

/**
 * Create a wallet and derive its first accounts.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_wallet
 */
export const createWallet: Submission<CreateWalletVersions, "ACTIVITY_TYPE_CREATE_WALLET"> = /* @__PURE__ */ submission("create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {
  ACTIVITY_TYPE_CREATE_WALLET: "createWalletResult",
});

/** The versions of `createWalletAccounts`, by activity type. */
export type CreateWalletAccountsVersions = {
  ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: { parameters: CreateWalletAccountsIntent; result: CreateWalletAccountsResult };
};

/**
 * Derive additional accounts of an existing wallet.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_wallet_accounts
 */
export const createWalletAccounts: Submission<CreateWalletAccountsVersions, "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"> = /* @__PURE__ */ submission("create_wallet_accounts", "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS", {
  ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: "createWalletAccountsResult",
});

/** The versions of `createWebhookEndpoint`, by activity type. */
export type CreateWebhookEndpointVersions = {
  ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT: { parameters: CreateWebhookEndpointIntent; result: CreateWebhookEndpointResult };
};

/**
 * Send events to a URL: those of the organization and of all its sub-organizations. An organization
 * may have 10 endpoints. Only `ACTIVITY_UPDATES` happen in this version; other types are accepted
 * and never sent.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#create_webhook_endpoint
 */
export const createWebhookEndpoint: Submission<CreateWebhookEndpointVersions, "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT"> = /* @__PURE__ */ submission("create_webhook_endpoint", "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT", {
  ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT: "createWebhookEndpointResult",
});

/** The versions of `deleteApiKeys`, by activity type. */
export type DeleteApiKeysVersions = {
  ACTIVITY_TYPE_DELETE_API_KEYS: { parameters: DeleteApiKeysIntent; result: DeleteApiKeysResult };
};

/**
 * Remove API keys from a user.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_api_keys
 */
export const deleteApiKeys: Submission<DeleteApiKeysVersions, "ACTIVITY_TYPE_DELETE_API_KEYS"> = /* @__PURE__ */ submission("delete_api_keys", "ACTIVITY_TYPE_DELETE_API_KEYS", {
  ACTIVITY_TYPE_DELETE_API_KEYS: "deleteApiKeysResult",
});

/** The versions of `deleteAuthenticators`, by activity type. */
export type DeleteAuthenticatorsVersions = {
  ACTIVITY_TYPE_DELETE_AUTHENTICATORS: { parameters: DeleteAuthenticatorsIntent; result: DeleteAuthenticatorsResult };
};

/**
 * Remove passkeys from a user.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_authenticators
 */
export const deleteAuthenticators: Submission<DeleteAuthenticatorsVersions, "ACTIVITY_TYPE_DELETE_AUTHENTICATORS"> = /* @__PURE__ */ submission("delete_authenticators", "ACTIVITY_TYPE_DELETE_AUTHENTICATORS", {
  ACTIVITY_TYPE_DELETE_AUTHENTICATORS: "deleteAuthenticatorsResult",
});

/** The versions of `deleteInvitation`, by activity type. */
export type DeleteInvitationVersions = {
  ACTIVITY_TYPE_DELETE_INVITATION: { parameters: DeleteInvitationIntent; result: DeleteInvitationResult };
};

/**
 * Withdraw an invitation that has not been accepted. Its token stops working.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_invitation
 */
export const deleteInvitation: Submission<DeleteInvitationVersions, "ACTIVITY_TYPE_DELETE_INVITATION"> = /* @__PURE__ */ submission("delete_invitation", "ACTIVITY_TYPE_DELETE_INVITATION", {
  ACTIVITY_TYPE_DELETE_INVITATION: "deleteInvitationResult",
});

/** The versions of `deleteOauth2Credential`, by activity type. */
export type DeleteOauth2CredentialVersions = {
  ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL: { parameters: DeleteOauth2CredentialIntent; result: DeleteOauth2CredentialResult };
};

/**
 * Delete a client of a provider that only speaks OAuth 2.0. Tokens that were made with it count
 * until they expire, for at most 15 minutes.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_oauth2_credential
 */
export const deleteOauth2Credential: Submission<DeleteOauth2CredentialVersions, "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL"> = /* @__PURE__ */ submission("delete_oauth2_credential", "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL", {
  ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL: "deleteOauth2CredentialResult",
});

/** The versions of `deleteOauthProviders`, by activity type. */
export type DeleteOauthProvidersVersions = {
  ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: { parameters: DeleteOauthProvidersIntent; result: DeleteOauthProvidersResult };
};

/**
 * Remove social logins from a user, and end the user's logins: sessions of CREDENTIAL_TYPE_LOGIN
 * and CREDENTIAL_TYPE_OAUTH_KEY_P256. Users can do this for themselves.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_oauth_providers
 */
export const deleteOauthProviders: Submission<DeleteOauthProvidersVersions, "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS"> = /* @__PURE__ */ submission("delete_oauth_providers", "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS", {
  ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: "deleteOauthProvidersResult",
});

/** The versions of `deleteOrganization`, by activity type. */
export type DeleteOrganizationVersions = {
  ACTIVITY_TYPE_DELETE_ORGANIZATION: { parameters: DeleteOrganizationIntent; result: DeleteOrganizationResult };
};

/**
 * Delete a top-level organization with everything in it. Only its root quorum can do this, and only
 * if it has no sub-organizations and every wallet and private key was exported, or
 * `deleteWithoutExport` is true. Nothing brings it back.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_organization
 */
export const deleteOrganization: Submission<DeleteOrganizationVersions, "ACTIVITY_TYPE_DELETE_ORGANIZATION"> = /* @__PURE__ */ submission("delete_organization", "ACTIVITY_TYPE_DELETE_ORGANIZATION", {
  ACTIVITY_TYPE_DELETE_ORGANIZATION: "deleteOrganizationResult",
});

/** The versions of `deletePolicies`, by activity type. */
export type DeletePoliciesVersions = {
  ACTIVITY_TYPE_DELETE_POLICIES: { parameters: DeletePoliciesIntent; result: DeletePoliciesResult };
};

/**
 * Delete several policies at once: all of them, or none if one does not exist.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_policies
 */
export const deletePolicies: Submission<DeletePoliciesVersions, "ACTIVITY_TYPE_DELETE_POLICIES"> = /* @__PURE__ */ submission("delete_policies", "ACTIVITY_TYPE_DELETE_POLICIES", {
  ACTIVITY_TYPE_DELETE_POLICIES: "deletePoliciesResult",
});

/** The versions of `deletePolicy`, by activity type. */
export type DeletePolicyVersions = {
  ACTIVITY_TYPE_DELETE_POLICY: { parameters: DeletePolicyIntent; result: DeletePolicyResult };
};

/**
 * Delete a policy. From the next request, it no longer allows or denies anything. This includes
 * activities that are waiting for approvals.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_policy
 */
export const deletePolicy: Submission<DeletePolicyVersions, "ACTIVITY_TYPE_DELETE_POLICY"> = /* @__PURE__ */ submission("delete_policy", "ACTIVITY_TYPE_DELETE_POLICY", {
  ACTIVITY_TYPE_DELETE_POLICY: "deletePolicyResult",
});

/** The versions of `deletePrivateKeys`, by activity type. */
export type DeletePrivateKeysVersions = {
  ACTIVITY_TYPE_DELETE_PRIVATE_KEYS: { parameters: DeletePrivateKeysIntent; result: DeletePrivateKeysResult };
};

/**
 * Delete private keys: all of them, or none if one does not exist or was never exported. Nothing
 * brings a deleted key back except a copy that was exported.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_private_keys
 */
export const deletePrivateKeys: Submission<DeletePrivateKeysVersions, "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS"> = /* @__PURE__ */ submission("delete_private_keys", "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS", {
  ACTIVITY_TYPE_DELETE_PRIVATE_KEYS: "deletePrivateKeysResult",
});

/** The versions of `deletePrivateKeyTags`, by activity type. */
export type DeletePrivateKeyTagsVersions = {
  ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS: { parameters: DeletePrivateKeyTagsIntent; result: DeletePrivateKeyTagsResult };
};

/**
 * Delete private key tags and remove them from all private keys: all of the tags, or none if one
 * does not exist. The keys stay. Policies that name a deleted tag no longer match any key.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_private_key_tags
 */
export const deletePrivateKeyTags: Submission<DeletePrivateKeyTagsVersions, "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS"> = /* @__PURE__ */ submission("delete_private_key_tags", "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS", {
  ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS: "deletePrivateKeyTagsResult",
});

/** The versions of `deleteSmartContractInterface`, by activity type. */
export type DeleteSmartContractInterfaceVersions = {
  ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE: { parameters: DeleteSmartContractInterfaceIntent; result: DeleteSmartContractInterfaceResult };
};

/**
 * Delete the interface of a contract. Policies no longer see the arguments of its calls: a policy
 * that reads them cannot be evaluated, so it allows nothing.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_smart_contract_interface
 */
export const deleteSmartContractInterface: Submission<DeleteSmartContractInterfaceVersions, "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE"> = /* @__PURE__ */ submission("delete_smart_contract_interface", "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE", {
  ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE: "deleteSmartContractInterfaceResult",
});

/** The versions of `deleteSubOrganization`, by activity type. */
export type DeleteSubOrganizationVersions = {
  ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: { parameters: DeleteSubOrganizationIntent; result: DeleteSubOrganizationResult };
};

/**
 * Delete the sub-organization that the request is sent to, with everything in it. Its own users
 * decide; its parent cannot delete it. Every wallet and private key must have been exported, or
 * `deleteWithoutExport` must be true. Nothing brings it back.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_sub_organization
 */
export const deleteSubOrganization: BareSubmission<DeleteSubOrganizationVersions, "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"> = /* @__PURE__ */ submission("delete_sub_organization", "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION", {
  ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: "deleteSubOrganizationResult",
});

/** The versions of `deleteUsers`, by activity type. */
export type DeleteUsersVersions = {
  ACTIVITY_TYPE_DELETE_USERS: { parameters: DeleteUsersIntent; result: DeleteUsersResult };
};

/**
 * Delete users, with their credentials, sessions and started imports: all of the users, or none if
 * one cannot be deleted. Their approvals no longer count, and the invitations that they sent end.
 * Members of the root quorum cannot be deleted.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_users
 */
export const deleteUsers: Submission<DeleteUsersVersions, "ACTIVITY_TYPE_DELETE_USERS"> = /* @__PURE__ */ submission("delete_users", "ACTIVITY_TYPE_DELETE_USERS", {
  ACTIVITY_TYPE_DELETE_USERS: "deleteUsersResult",
});

/** The versions of `deleteUserTags`, by activity type. */
export type DeleteUserTagsVersions = {
  ACTIVITY_TYPE_DELETE_USER_TAGS: { parameters: DeleteUserTagsIntent; result: DeleteUserTagsResult };
};

/**
 * Delete user tags and remove them from all users: all of the tags, or none if one does not exist.
 * The users stay. Policies that name a deleted tag no longer match any user.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_user_tags
 */
export const deleteUserTags: Submission<DeleteUserTagsVersions, "ACTIVITY_TYPE_DELETE_USER_TAGS"> = /* @__PURE__ */ submission("delete_user_tags", "ACTIVITY_TYPE_DELETE_USER_TAGS", {
  ACTIVITY_TYPE_DELETE_USER_TAGS: "deleteUserTagsResult",
});

/** The versions of `deleteWalletAccounts`, by activity type. */
export type DeleteWalletAccountsVersions = {
  ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS: { parameters: DeleteWalletAccountsIntent; result: DeleteWalletAccountsResult };
};

/**
 * Delete accounts of wallets: all of them, or none if one does not exist or was never exported. The
 * wallets stay, and can derive the same addresses again. An organization may have 1,000 deleted
 * accounts in wallets that it keeps.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_wallet_accounts
 */
export const deleteWalletAccounts: Submission<DeleteWalletAccountsVersions, "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS"> = /* @__PURE__ */ submission("delete_wallet_accounts", "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS", {
  ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS: "deleteWalletAccountsResult",
});

/** The versions of `deleteWallets`, by activity type. */
export type DeleteWalletsVersions = {
  ACTIVITY_TYPE_DELETE_WALLETS: { parameters: DeleteWalletsIntent; result: DeleteWalletsResult };
};

/**
 * Delete wallets with their accounts: all of them, or none if one does not exist or was never
 * exported. Nothing brings a deleted wallet back except its mnemonic.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_wallets
 */
export const deleteWallets: Submission<DeleteWalletsVersions, "ACTIVITY_TYPE_DELETE_WALLETS"> = /* @__PURE__ */ submission("delete_wallets", "ACTIVITY_TYPE_DELETE_WALLETS", {
  ACTIVITY_TYPE_DELETE_WALLETS: "deleteWalletsResult",
});

/** The versions of `deleteWebhookEndpoint`, by activity type. */
export type DeleteWebhookEndpointVersions = {
  ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT: { parameters: DeleteWebhookEndpointIntent; result: DeleteWebhookEndpointResult };
};

/**
 * Delete a webhook endpoint. What waited for it is cancelled.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#delete_webhook_endpoint
 */
export const deleteWebhookEndpoint: Submission<DeleteWebhookEndpointVersions, "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT"> = /* @__PURE__ */ submission("delete_webhook_endpoint", "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT", {
  ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT: "deleteWebhookEndpointResult",
});

/** The versions of `emailAuth`, by activity type. */
export type EmailAuthVersions = {
  ACTIVITY_TYPE_EMAIL_AUTH: { parameters: EmailAuthIntent; result: EmailAuthResult };
  ACTIVITY_TYPE_EMAIL_AUTH_V2: { parameters: EmailAuthIntentV2; result: EmailAuthResult };
  ACTIVITY_TYPE_EMAIL_AUTH_V3: { parameters: EmailAuthIntentV3; result: EmailAuthResult };
};

/**
 * Send a mail that logs a user in. It has the key of a session, encrypted to the key of the client
 * that asks. A user of the parent organization may ask for the users of a sub-organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_EMAIL_AUTH` and `ACTIVITY_TYPE_EMAIL_AUTH_V3`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#email_auth
 */
export const emailAuth: Submission<EmailAuthVersions, "ACTIVITY_TYPE_EMAIL_AUTH_V2"> = /* @__PURE__ */ submission("email_auth", "ACTIVITY_TYPE_EMAIL_AUTH_V2", {
  ACTIVITY_TYPE_EMAIL_AUTH: "emailAuthResult",
  ACTIVITY_TYPE_EMAIL_AUTH_V2: "emailAuthResult",
  ACTIVITY_TYPE_EMAIL_AUTH_V3: "emailAuthResult",
});

/** The versions of `exportPrivateKey`, by activity type. */
export type ExportPrivateKeyVersions = {
  ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: { parameters: ExportPrivateKeyIntent; result: ExportPrivateKeyResult };
};

/**
 * Export a private key, encrypted to your key.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#export_private_key
 */
export const exportPrivateKey: Submission<ExportPrivateKeyVersions, "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY"> = /* @__PURE__ */ submission("export_private_key", "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY", {
  ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: "exportPrivateKeyResult",
});

/** The versions of `exportWallet`, by activity type. */
export type ExportWalletVersions = {
  ACTIVITY_TYPE_EXPORT_WALLET: { parameters: ExportWalletIntent; result: ExportWalletResult };
};

/**
 * Export the mnemonic of a wallet, encrypted to your key.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#export_wallet
 */
export const exportWallet: Submission<ExportWalletVersions, "ACTIVITY_TYPE_EXPORT_WALLET"> = /* @__PURE__ */ submission("export_wallet", "ACTIVITY_TYPE_EXPORT_WALLET", {
  ACTIVITY_TYPE_EXPORT_WALLET: "exportWalletResult",
});

/** The versions of `exportWalletAccount`, by activity type. */
export type ExportWalletAccountVersions = {
  ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: { parameters: ExportWalletAccountIntent; result: ExportWalletAccountResult };
};

/**
 * Export the private key of a wallet account, encrypted to your key.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#export_wallet_account
 */
export const exportWalletAccount: Submission<ExportWalletAccountVersions, "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT"> = /* @__PURE__ */ submission("export_wallet_account", "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT", {
  ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: "exportWalletAccountResult",
});

/**
 * Get an activity by its id.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_activity
 */
export const getActivity: Query<Omit<GetActivityRequest, "organizationId">, ActivityResponse> = /* @__PURE__ */ query("get_activity");

/**
 * Get an API key by its id. A key that has expired is not found.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_api_key
 */
export const getApiKey: Query<Omit<GetApiKeyRequest, "organizationId">, GetApiKeyResponse> = /* @__PURE__ */ query("get_api_key");

/**
 * Get the API keys of a user that have not expired. Without `userId`, get those of all users.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_api_keys
 */
export const getApiKeys: BareQuery<Omit<GetApiKeysRequest, "organizationId">, GetApiKeysResponse> = /* @__PURE__ */ query("get_api_keys");

/**
 * Get a passkey by its id.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_authenticator
 */
export const getAuthenticator: Query<Omit<GetAuthenticatorRequest, "organizationId">, GetAuthenticatorResponse> = /* @__PURE__ */ query("get_authenticator");

/**
 * Get the passkeys of a user.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_authenticators
 */
export const getAuthenticators: Query<Omit<GetAuthenticatorsRequest, "organizationId">, GetAuthenticatorsResponse> = /* @__PURE__ */ query("get_authenticators");

/**
 * Get a client of a provider that only speaks OAuth 2.0 by its id. Its secret stays encrypted.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_oauth2_credential
 */
export const getOauth2Credential: Query<Omit<GetOauth2CredentialRequest, "organizationId">, GetOauth2CredentialResponse> = /* @__PURE__ */ query("get_oauth2_credential");

/**
 * Get the OAuth providers of a user. Without `userId`, get those of all users.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_oauth_providers
 */
export const getOauthProviders: BareQuery<Omit<GetOauthProvidersRequest, "organizationId">, GetOauthProvidersResponse> = /* @__PURE__ */ query("get_oauth_providers");

/**
 * Get an organization as a whole: its users, policies, private keys, invitations, tags, root
 * quorum, features, wallets and contract interfaces. If the records of its private keys have more
 * than 4 MiB together, the addresses of the last ones have no proof: get_private_key returns each.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_organization
 */
export const getOrganization: BareQuery<Omit<GetOrganizationRequest, "organizationId">, GetOrganizationResponse> = /* @__PURE__ */ query("get_organization");

/**
 * Get the features that are switched on in an organization, and its root quorum.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_organization_configs
 */
export const getOrganizationConfigs: BareQuery<Omit<GetOrganizationConfigsRequest, "organizationId">, GetOrganizationConfigsResponse> = /* @__PURE__ */ query("get_organization_configs");

/**
 * Get a policy by its id.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_policy
 */
export const getPolicy: Query<Omit<GetPolicyRequest, "organizationId">, GetPolicyResponse> = /* @__PURE__ */ query("get_policy");

/**
 * Get the outcome of each policy at every vote of an activity, as long as the service keeps the
 * policies of that time. A denied request leaves no activity: use the `traceId` of its error, which
 * is kept for a day. With `includeTrace`, the reasons are computed again from the policies and
 * records of that time.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_policy_evaluations
 */
export const getPolicyEvaluations: Query<Omit<GetPolicyEvaluationsRequest, "organizationId">, GetPolicyEvaluationsResponse> = /* @__PURE__ */ query("get_policy_evaluations");

/**
 * Get the public key, addresses and tags of a private key by its id.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_private_key
 */
export const getPrivateKey: Query<Omit<GetPrivateKeyRequest, "organizationId">, GetPrivateKeyResponse> = /* @__PURE__ */ query("get_private_key");

/**
 * Get receipts of one activity, or a page of the organization's log: segments in order, each with
 * all of its receipts. The answer can be verified offline with the quorum public key.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_receipts
 */
export const getReceipts: BareQuery<Omit<GetReceiptsRequest, "organizationId">, GetReceiptsResponse> = /* @__PURE__ */ query("get_receipts");

/**
 * Get the interface of a smart contract by its id.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_smart_contract_interface
 */
export const getSmartContractInterface: Query<Omit<GetSmartContractInterfaceRequest, "organizationId">, GetSmartContractInterfaceResponse> = /* @__PURE__ */ query("get_smart_contract_interface");

/**
 * Get a user by id, with credentials and tags.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_user
 */
export const getUser: Query<Omit<GetUserRequest, "organizationId">, GetUserResponse> = /* @__PURE__ */ query("get_user");

/**
 * Get a wallet by its id.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_wallet
 */
export const getWallet: Query<Omit<GetWalletRequest, "organizationId">, GetWalletResponse> = /* @__PURE__ */ query("get_wallet");

/**
 * Get an account of a wallet by its address or its path. If both are given, both must match.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#get_wallet_account
 */
export const getWalletAccount: Query<Omit<GetWalletAccountRequest, "organizationId">, GetWalletAccountResponse> = /* @__PURE__ */ query("get_wallet_account");

/** The versions of `importPrivateKey`, by activity type. */
export type ImportPrivateKeyVersions = {
  ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: { parameters: ImportPrivateKeyIntent; result: ImportPrivateKeyResult };
};

/**
 * Import a private key that you encrypted to the key of your import bundle.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#import_private_key
 */
export const importPrivateKey: Submission<ImportPrivateKeyVersions, "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY"> = /* @__PURE__ */ submission("import_private_key", "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY", {
  ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: "importPrivateKeyResult",
});

/** The versions of `importWallet`, by activity type. */
export type ImportWalletVersions = {
  ACTIVITY_TYPE_IMPORT_WALLET: { parameters: ImportWalletIntent; result: ImportWalletResult };
};

/**
 * Import a mnemonic that you encrypted to the key of your import bundle.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#import_wallet
 */
export const importWallet: Submission<ImportWalletVersions, "ACTIVITY_TYPE_IMPORT_WALLET"> = /* @__PURE__ */ submission("import_wallet", "ACTIVITY_TYPE_IMPORT_WALLET", {
  ACTIVITY_TYPE_IMPORT_WALLET: "importWalletResult",
});

/** The versions of `initImportPrivateKey`, by activity type. */
export type InitImportPrivateKeyVersions = {
  ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: { parameters: InitImportPrivateKeyIntent; result: InitImportPrivateKeyResult };
};

/**
 * Get the key to which you encrypt a private key. It can be used for one import, within an hour,
 * and replaces your earlier one.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#init_import_private_key
 */
export const initImportPrivateKey: Submission<InitImportPrivateKeyVersions, "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY"> = /* @__PURE__ */ submission("init_import_private_key", "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY", {
  ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: "initImportPrivateKeyResult",
});

/** The versions of `initImportWallet`, by activity type. */
export type InitImportWalletVersions = {
  ACTIVITY_TYPE_INIT_IMPORT_WALLET: { parameters: InitImportWalletIntent; result: InitImportWalletResult };
};

/**
 * Get the key to which you encrypt a mnemonic. It can be used for one import, within an hour, and
 * replaces your earlier one.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#init_import_wallet
 */
export const initImportWallet: Submission<InitImportWalletVersions, "ACTIVITY_TYPE_INIT_IMPORT_WALLET"> = /* @__PURE__ */ submission("init_import_wallet", "ACTIVITY_TYPE_INIT_IMPORT_WALLET", {
  ACTIVITY_TYPE_INIT_IMPORT_WALLET: "initImportWalletResult",
});

/** The versions of `initOtp`, by activity type. */
export type InitOtpVersions = {
  ACTIVITY_TYPE_INIT_OTP: { parameters: InitOtpIntent; result: InitOtpResult };
  ACTIVITY_TYPE_INIT_OTP_V2: { parameters: InitOtpIntentV2; result: InitOtpResult };
  ACTIVITY_TYPE_INIT_OTP_V3: { parameters: InitOtpIntentV3; result: InitOtpResultV2 };
};

/**
 * Send a one-time code to an email address or a phone number, whether it belongs to a user or not.
 * verify_otp turns the code into a verification token, with which its holder logs in, signs up or
 * changes a contact. The client encrypts the code to the key in `otpEncryptionTargetBundle`.
 *
 * `options.type` also takes `ACTIVITY_TYPE_INIT_OTP` and `ACTIVITY_TYPE_INIT_OTP_V2`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#init_otp
 */
export const initOtp: Submission<InitOtpVersions, "ACTIVITY_TYPE_INIT_OTP_V3"> = /* @__PURE__ */ submission("init_otp", "ACTIVITY_TYPE_INIT_OTP_V3", {
  ACTIVITY_TYPE_INIT_OTP: "initOtpResult",
  ACTIVITY_TYPE_INIT_OTP_V2: "initOtpResult",
  ACTIVITY_TYPE_INIT_OTP_V3: "initOtpResultV2",
});

/** The versions of `initOtpAuth`, by activity type. */
export type InitOtpAuthVersions = {
  ACTIVITY_TYPE_INIT_OTP_AUTH: { parameters: InitOtpAuthIntent; result: InitOtpAuthResult };
  ACTIVITY_TYPE_INIT_OTP_AUTH_V2: { parameters: InitOtpAuthIntentV2; result: InitOtpAuthResultV2 };
  ACTIVITY_TYPE_INIT_OTP_AUTH_V3: { parameters: InitOtpAuthIntentV3; result: InitOtpAuthResultV2 };
};

/**
 * Send a one-time code to the email address or phone number of a user. otp_auth exchanges it for a
 * key. A user of the parent organization may do this for a sub-organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_INIT_OTP_AUTH` and `ACTIVITY_TYPE_INIT_OTP_AUTH_V3`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#init_otp_auth
 */
export const initOtpAuth: Submission<InitOtpAuthVersions, "ACTIVITY_TYPE_INIT_OTP_AUTH_V2"> = /* @__PURE__ */ submission("init_otp_auth", "ACTIVITY_TYPE_INIT_OTP_AUTH_V2", {
  ACTIVITY_TYPE_INIT_OTP_AUTH: "initOtpAuthResult",
  ACTIVITY_TYPE_INIT_OTP_AUTH_V2: "initOtpAuthResultV2",
  ACTIVITY_TYPE_INIT_OTP_AUTH_V3: "initOtpAuthResultV2",
});

/** The versions of `initUserEmailRecovery`, by activity type. */
export type InitUserEmailRecoveryVersions = {
  ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY: { parameters: InitUserEmailRecoveryIntent; result: InitUserEmailRecoveryResult };
  ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2: { parameters: InitUserEmailRecoveryIntentV2; result: InitUserEmailRecoveryResult };
};

/**
 * Send a mail with which a user who lost every credential registers a passkey, by recover_user. It
 * has a key, encrypted to the key of the client that asks. Only the newest one counts. A user of
 * the parent organization may ask for the users of a sub-organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#init_user_email_recovery
 */
export const initUserEmailRecovery: Submission<InitUserEmailRecoveryVersions, "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY"> = /* @__PURE__ */ submission("init_user_email_recovery", "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY", {
  ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY: "initUserEmailRecoveryResult",
  ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2: "initUserEmailRecoveryResult",
});

/**
 * List activities of an organization, newest first. To get the next older page, give the id of the
 * page's last activity as `before`. A page of large activities ends before its `limit`, and says so
 * in `endedEarly`.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_activities
 */
export const listActivities: BareQuery<Omit<GetActivitiesRequest, "organizationId">, GetActivitiesResponse> = /* @__PURE__ */ query("list_activities");

/**
 * List an organization’s clients of providers that only speak OAuth 2.0, oldest first. Their
 * secrets stay encrypted.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_oauth2_credentials
 */
export const listOauth2Credentials: BareQuery<Omit<ListOauth2CredentialsRequest, "organizationId">, ListOauth2CredentialsResponse> = /* @__PURE__ */ query("list_oauth2_credentials");

/**
 * List all policies of an organization, oldest first.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_policies
 */
export const listPolicies: BareQuery<Omit<GetPoliciesRequest, "organizationId">, GetPoliciesResponse> = /* @__PURE__ */ query("list_policies");

/**
 * List the public keys, addresses and tags of all private keys of an organization. If their records
 * have more than 4 MiB together, the addresses of the last ones have no proof: get_private_key
 * returns each.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_private_keys
 */
export const listPrivateKeys: BareQuery<Omit<GetPrivateKeysRequest, "organizationId">, GetPrivateKeysResponse> = /* @__PURE__ */ query("list_private_keys");

/**
 * List all private key tags of an organization.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_private_key_tags
 */
export const listPrivateKeyTags: BareQuery<Omit<ListPrivateKeyTagsRequest, "organizationId">, ListPrivateKeyTagsResponse> = /* @__PURE__ */ query("list_private_key_tags");

/**
 * List the smart contract interfaces of an organization, with their texts. If they have more than 4
 * MiB together, the texts of the last ones are empty: get_smart_contract_interface returns each.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_smart_contract_interfaces
 */
export const listSmartContractInterfaces: BareQuery<Omit<GetSmartContractInterfacesRequest, "organizationId">, GetSmartContractInterfacesResponse> = /* @__PURE__ */ query("list_smart_contract_interfaces");

/**
 * List the ids of a parent organization's sub-organizations. With a filter, list only those that
 * have the given name, a user with the given name, contact or credential, or a wallet account with
 * the given address.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_suborgs
 */
export const listSuborgs: BareQuery<Omit<GetSubOrgIdsRequest, "organizationId">, GetSubOrgIdsResponse> = /* @__PURE__ */ query("list_suborgs");

/**
 * List all users of an organization, with their credentials and tags.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_users
 */
export const listUsers: BareQuery<Omit<GetUsersRequest, "organizationId">, GetUsersResponse> = /* @__PURE__ */ query("list_users");

/**
 * List all user tags of an organization.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_user_tags
 */
export const listUserTags: BareQuery<Omit<ListUserTagsRequest, "organizationId">, ListUserTagsResponse> = /* @__PURE__ */ query("list_user_tags");

/**
 * List the ids of a parent organization's sub-organizations in which a user has proved, by a
 * verification token, to have the given email address or phone number, or, by an OIDC token, the
 * social login that the given token is about. Without a filter, list those in which a user has
 * proved any contact. list_suborgs finds contacts and social logins that were not proved too.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_verified_suborgs
 */
export const listVerifiedSuborgs: BareQuery<Omit<GetVerifiedSubOrgIdsRequest, "organizationId">, GetVerifiedSubOrgIdsResponse> = /* @__PURE__ */ query("list_verified_suborgs");

/**
 * List the accounts of a wallet, or of all wallets without `walletId`, oldest first. To get the
 * next page, give the id of the page's last account as `after`. A page that is not full is the last
 * one.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_wallet_accounts
 */
export const listWalletAccounts: BareQuery<Omit<GetWalletAccountsRequest, "organizationId">, GetWalletAccountsResponse> = /* @__PURE__ */ query("list_wallet_accounts");

/**
 * List all wallets of an organization.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_wallets
 */
export const listWallets: BareQuery<Omit<GetWalletsRequest, "organizationId">, GetWalletsResponse> = /* @__PURE__ */ query("list_wallets");

/**
 * List what was sent to the webhook endpoints of an organization and what waits, newest first.
 * Deliveries that ended are kept for seven days.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_webhook_deliveries
 */
export const listWebhookDeliveries: BareQuery<Omit<ListWebhookDeliveriesRequest, "organizationId">, ListWebhookDeliveriesResponse> = /* @__PURE__ */ query("list_webhook_deliveries");

/**
 * List the webhook endpoints of an organization, oldest first. Those of its parent get its events
 * too and are not in the list.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#list_webhook_endpoints
 */
export const listWebhookEndpoints: BareQuery<Omit<ListWebhookEndpointsRequest, "organizationId">, ListWebhookEndpointsResponse> = /* @__PURE__ */ query("list_webhook_endpoints");

/** The versions of `logOutEverywhere`, by activity type. */
export type LogOutEverywhereVersions = {
  ACTIVITY_TYPE_LOG_OUT_EVERYWHERE: { parameters: LogOutEverywhereIntent; result: LogOutEverywhereResult };
};

/**
 * End all sessions of a user, read-only ones included, and all API keys that expire. Credentials
 * that do not expire stay.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#log_out_everywhere
 */
export const logOutEverywhere: Submission<LogOutEverywhereVersions, "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE"> = /* @__PURE__ */ submission("log_out_everywhere", "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE", {
  ACTIVITY_TYPE_LOG_OUT_EVERYWHERE: "logOutEverywhereResult",
});

/** The versions of `oauth`, by activity type. */
export type OauthVersions = {
  ACTIVITY_TYPE_OAUTH: { parameters: OauthIntent; result: OauthResult };
};

/**
 * Start a session of the user whose social login the token proves, with a key that the service
 * makes and returns, encrypted to your key. The token's `nonce` (or `tknonce`) must be the SHA-256
 * digest of the text of `targetPublicKey`, in lower-case hex. Social logins are for users of
 * sub-organizations.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#oauth
 */
export const oauth: Submission<OauthVersions, "ACTIVITY_TYPE_OAUTH"> = /* @__PURE__ */ submission("oauth", "ACTIVITY_TYPE_OAUTH", {
  ACTIVITY_TYPE_OAUTH: "oauthResult",
});

/** The versions of `oauth2Authenticate`, by activity type. */
export type Oauth2AuthenticateVersions = {
  ACTIVITY_TYPE_OAUTH2_AUTHENTICATE: { parameters: Oauth2AuthenticateIntent; result: Oauth2AuthenticateResult };
};

/**
 * Exchange the code of a provider that only speaks OAuth 2.0. The signer asks the provider who the
 * person is, and signs a token that every request with an `oidcToken` accepts for 15 minutes: in
 * the organization whose credential it is, and in its sub-organizations. A code works once.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#oauth2_authenticate
 */
export const oauth2Authenticate: Submission<Oauth2AuthenticateVersions, "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE"> = /* @__PURE__ */ submission("oauth2_authenticate", "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE", {
  ACTIVITY_TYPE_OAUTH2_AUTHENTICATE: "oauth2AuthenticateResult",
});

/** The versions of `oauthLogin`, by activity type. */
export type OauthLoginVersions = {
  ACTIVITY_TYPE_OAUTH_LOGIN: { parameters: OauthLoginIntent; result: OauthLoginResult };
};

/**
 * Start a session of the user whose social login the token proves: the key that you made stamps
 * requests as this user until it expires. The token's `nonce` (or `tknonce`) must be the SHA-256
 * digest of the text of `publicKey`, in lower-case hex. Social logins are for users of
 * sub-organizations.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#oauth_login
 */
export const oauthLogin: Submission<OauthLoginVersions, "ACTIVITY_TYPE_OAUTH_LOGIN"> = /* @__PURE__ */ submission("oauth_login", "ACTIVITY_TYPE_OAUTH_LOGIN", {
  ACTIVITY_TYPE_OAUTH_LOGIN: "oauthLoginResult",
});

/** The versions of `otpAuth`, by activity type. */
export type OtpAuthVersions = {
  ACTIVITY_TYPE_OTP_AUTH: { parameters: OtpAuthIntent; result: OtpAuthResult };
};

/**
 * Exchange a code that init_otp_auth sent for a key of the user whom it was sent to. The key is
 * encrypted to yours and expires. A code works once. Three wrong attempts lock it. The request has
 * the code in the clear, where the service's host can read it: new clients use init_otp, verify_otp
 * and otp_login.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#otp_auth
 */
export const otpAuth: Submission<OtpAuthVersions, "ACTIVITY_TYPE_OTP_AUTH"> = /* @__PURE__ */ submission("otp_auth", "ACTIVITY_TYPE_OTP_AUTH", {
  ACTIVITY_TYPE_OTP_AUTH: "otpAuthResult",
});

/** The versions of `otpLogin`, by activity type. */
export type OtpLoginVersions = {
  ACTIVITY_TYPE_OTP_LOGIN: { parameters: OtpLoginIntent; result: OtpLoginResult };
  ACTIVITY_TYPE_OTP_LOGIN_V2: { parameters: OtpLoginIntentV2; result: OtpLoginResult };
};

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
export const otpLogin: Submission<OtpLoginVersions, "ACTIVITY_TYPE_OTP_LOGIN_V2"> = /* @__PURE__ */ submission("otp_login", "ACTIVITY_TYPE_OTP_LOGIN_V2", {
  ACTIVITY_TYPE_OTP_LOGIN: "otpLoginResult",
  ACTIVITY_TYPE_OTP_LOGIN_V2: "otpLoginResult",
});

/** The versions of `recoverUser`, by activity type. */
export type RecoverUserVersions = {
  ACTIVITY_TYPE_RECOVER_USER: { parameters: RecoverUserIntent; result: RecoverUserResult };
};

/**
 * Register a passkey of a user whom init_user_email_recovery sent a mail. The key in the mail
 * stamps this request, for its own user alone, and counts once.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#recover_user
 */
export const recoverUser: Submission<RecoverUserVersions, "ACTIVITY_TYPE_RECOVER_USER"> = /* @__PURE__ */ submission("recover_user", "ACTIVITY_TYPE_RECOVER_USER", {
  ACTIVITY_TYPE_RECOVER_USER: "recoverUserResult",
});

/** The versions of `rejectActivity`, by activity type. */
export type RejectActivityVersions = {
  ACTIVITY_TYPE_REJECT_ACTIVITY: { parameters: RejectActivityIntent; result: Decided };
};

/**
 * Reject an activity that needs consensus. A single rejection by a user whose vote counts ends it.
 *
 * @throws `ActivityFailed`, `InvalidField`, `NotFound` or another `KeyhearthError`.
 * @see /api#reject_activity
 */
export const rejectActivity: Submission<RejectActivityVersions, "ACTIVITY_TYPE_REJECT_ACTIVITY"> = /* @__PURE__ */ submission("reject_activity", "ACTIVITY_TYPE_REJECT_ACTIVITY", {
  ACTIVITY_TYPE_REJECT_ACTIVITY: "*",
});

/** The versions of `removeOrganizationFeature`, by activity type. */
export type RemoveOrganizationFeatureVersions = {
  ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE: { parameters: RemoveOrganizationFeatureIntent; result: RemoveOrganizationFeatureResult };
};

/**
 * Switch a feature off in an organization. Only the root quorum can do this. The result lists all
 * features that are left. A feature that is not set stays so.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#remove_organization_feature
 */
export const removeOrganizationFeature: Submission<RemoveOrganizationFeatureVersions, "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE"> = /* @__PURE__ */ submission("remove_organization_feature", "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE", {
  ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE: "removeOrganizationFeatureResult",
});

/** The versions of `resendWebhookDelivery`, by activity type. */
export type ResendWebhookDeliveryVersions = {
  ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY: { parameters: ResendWebhookDeliveryIntent; result: ResendWebhookDeliveryResult };
};

/**
 * Send a delivery of one of the organization's own endpoints again, with the same event id: one
 * that ended, or that waits for an endpoint that fails, which is then tried at once.
 * list_webhook_deliveries lists them.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#resend_webhook_delivery
 */
export const resendWebhookDelivery: Submission<ResendWebhookDeliveryVersions, "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY"> = /* @__PURE__ */ submission("resend_webhook_delivery", "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY", {
  ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY: "resendWebhookDeliveryResult",
});

/** The versions of `setOrganizationFeature`, by activity type. */
export type SetOrganizationFeatureVersions = {
  ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE: { parameters: SetOrganizationFeatureIntent; result: SetOrganizationFeatureResult };
};

/**
 * Switch a feature on in an organization, or replace its value. Only the root quorum can do this.
 * The result lists all features.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#set_organization_feature
 */
export const setOrganizationFeature: Submission<SetOrganizationFeatureVersions, "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE"> = /* @__PURE__ */ submission("set_organization_feature", "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE", {
  ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE: "setOrganizationFeatureResult",
});

/** The versions of `signRawPayload`, by activity type. */
export type SignRawPayloadVersions = {
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: { parameters: SignRawPayloadIntent; result: SignRawPayloadResult };
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: { parameters: SignRawPayloadIntentV2; result: SignRawPayloadResult };
};

/**
 * Sign a raw payload with a private key or wallet account.
 *
 * `options.type` also takes `ACTIVITY_TYPE_SIGN_RAW_PAYLOAD`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#sign_raw_payload
 */
export const signRawPayload: Submission<SignRawPayloadVersions, "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"> = /* @__PURE__ */ submission("sign_raw_payload", "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", {
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: "signRawPayloadResult",
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: "signRawPayloadResult",
});

/** The versions of `signRawPayloads`, by activity type. */
export type SignRawPayloadsVersions = {
  ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: { parameters: SignRawPayloadsIntent; result: SignRawPayloadsResult };
};

/**
 * Sign several raw payloads with the same key and the same parameters.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#sign_raw_payloads
 */
export const signRawPayloads: Submission<SignRawPayloadsVersions, "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"> = /* @__PURE__ */ submission("sign_raw_payloads", "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS", {
  ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: "signRawPayloadsResult",
});

/** The versions of `signTransaction`, by activity type. */
export type SignTransactionVersions = {
  ACTIVITY_TYPE_SIGN_TRANSACTION: { parameters: SignTransactionIntent; result: SignTransactionResult };
  ACTIVITY_TYPE_SIGN_TRANSACTION_V2: { parameters: SignTransactionIntentV2; result: SignTransactionResult };
};

/**
 * Sign a transaction with a private key or wallet account. A transaction that does not decode
 * completely is refused.
 *
 * `options.type` also takes `ACTIVITY_TYPE_SIGN_TRANSACTION`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#sign_transaction
 */
export const signTransaction: Submission<SignTransactionVersions, "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"> = /* @__PURE__ */ submission("sign_transaction", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", {
  ACTIVITY_TYPE_SIGN_TRANSACTION: "signTransactionResult",
  ACTIVITY_TYPE_SIGN_TRANSACTION_V2: "signTransactionResult",
});

/**
 * Find out how an activity would be decided, by which policies and why, and whose approvals it
 * would still need. Nothing is written, and no key is used. Each user counts as approving with
 * their first API key.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#simulate_activity
 */
export const simulateActivity: Query<Omit<SimulateActivityRequest, "organizationId">, SimulateActivityResponse> = /* @__PURE__ */ query("simulate_activity");

/** The versions of `stampLogin`, by activity type. */
export type StampLoginVersions = {
  ACTIVITY_TYPE_STAMP_LOGIN: { parameters: StampLoginIntent; result: StampLoginResult };
};

/**
 * Start a session: a key that you made stamps requests as you until it expires. A key that nobody
 * has registered can stamp this request too, in `X-Stamp-Attested`, with a verification token or an
 * OIDC token that was made for it: then `publicKey` is that key itself, and otherwise it is a new
 * one. With the id of a parent organization and a credential of exactly one of its
 * sub-organizations, the session is for that sub-organization.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#stamp_login
 */
export const stampLogin: Submission<StampLoginVersions, "ACTIVITY_TYPE_STAMP_LOGIN"> = /* @__PURE__ */ submission("stamp_login", "ACTIVITY_TYPE_STAMP_LOGIN", {
  ACTIVITY_TYPE_STAMP_LOGIN: "stampLoginResult",
});

/** The versions of `updateOauth2Credential`, by activity type. */
export type UpdateOauth2CredentialVersions = {
  ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL: { parameters: UpdateOauth2CredentialIntent; result: UpdateOauth2CredentialResult };
};

/**
 * Replace a client of a provider that only speaks OAuth 2.0: its provider, its id and its secret.
 * Social logins that people registered with another client stay, and log nobody in with this one.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_oauth2_credential
 */
export const updateOauth2Credential: Submission<UpdateOauth2CredentialVersions, "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL"> = /* @__PURE__ */ submission("update_oauth2_credential", "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL", {
  ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL: "updateOauth2CredentialResult",
});

/** The versions of `updateOrganizationName`, by activity type. */
export type UpdateOrganizationNameVersions = {
  ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME: { parameters: UpdateOrganizationNameIntent; result: UpdateOrganizationNameResult };
};

/**
 * Give an organization another name. Only the root quorum can do this.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_organization_name
 */
export const updateOrganizationName: Submission<UpdateOrganizationNameVersions, "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME"> = /* @__PURE__ */ submission("update_organization_name", "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME", {
  ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME: "updateOrganizationNameResult",
});

/** The versions of `updatePolicy`, by activity type. */
export type UpdatePolicyVersions = {
  ACTIVITY_TYPE_UPDATE_POLICY: { parameters: UpdatePolicyIntent; result: UpdatePolicyResult };
  ACTIVITY_TYPE_UPDATE_POLICY_V2: { parameters: UpdatePolicyIntentV2; result: UpdatePolicyResultV2 };
};

/**
 * Change a policy. Only the given fields change. An empty condition, consensus or time removes that
 * clause.
 *
 * `options.type` also takes `ACTIVITY_TYPE_UPDATE_POLICY`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_policy
 */
export const updatePolicy: Submission<UpdatePolicyVersions, "ACTIVITY_TYPE_UPDATE_POLICY_V2"> = /* @__PURE__ */ submission("update_policy", "ACTIVITY_TYPE_UPDATE_POLICY_V2", {
  ACTIVITY_TYPE_UPDATE_POLICY: "updatePolicyResult",
  ACTIVITY_TYPE_UPDATE_POLICY_V2: "updatePolicyResultV2",
});

/** The versions of `updatePrivateKeyTag`, by activity type. */
export type UpdatePrivateKeyTagVersions = {
  ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG: { parameters: UpdatePrivateKeyTagIntent; result: UpdatePrivateKeyTagResult };
};

/**
 * Rename a private key tag, add it to private keys and remove it from others: all of it or nothing.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_private_key_tag
 */
export const updatePrivateKeyTag: Submission<UpdatePrivateKeyTagVersions, "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG"> = /* @__PURE__ */ submission("update_private_key_tag", "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG", {
  ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG: "updatePrivateKeyTagResult",
});

/** The versions of `updateRootQuorum`, by activity type. */
export type UpdateRootQuorumVersions = {
  ACTIVITY_TYPE_UPDATE_ROOT_QUORUM: { parameters: UpdateRootQuorumIntent; result: UpdateRootQuorumResult };
};

/**
 * Set the threshold and members of the root quorum. Only the root quorum can do this.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_root_quorum
 */
export const updateRootQuorum: Submission<UpdateRootQuorumVersions, "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM"> = /* @__PURE__ */ submission("update_root_quorum", "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM", {
  ACTIVITY_TYPE_UPDATE_ROOT_QUORUM: "updateRootQuorumResult",
});

/** The versions of `updateUser`, by activity type. */
export type UpdateUserVersions = {
  ACTIVITY_TYPE_UPDATE_USER: { parameters: UpdateUserIntent; result: UpdateUserResult };
};

/**
 * Change the name, the contacts or the tags of a user. What you leave out stays. `userTagIds`
 * replaces all of the user's tags. A new contact is not verified; update_user_email and
 * update_user_phone_number take a proof. Only the root quorum can change the contacts of a root
 * user.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_user
 */
export const updateUser: Submission<UpdateUserVersions, "ACTIVITY_TYPE_UPDATE_USER"> = /* @__PURE__ */ submission("update_user", "ACTIVITY_TYPE_UPDATE_USER", {
  ACTIVITY_TYPE_UPDATE_USER: "updateUserResult",
});

/** The versions of `updateUserEmail`, by activity type. */
export type UpdateUserEmailVersions = {
  ACTIVITY_TYPE_UPDATE_USER_EMAIL: { parameters: UpdateUserEmailIntent; result: UpdateUserEmailResult };
};

/**
 * Change the email address of a user, or remove it with an empty one. With a verification token of
 * this address that names the key of the stamp, it is verified; with a token for another key, or
 * for none, it is not. Only the root quorum can change the address of a root user.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_user_email
 */
export const updateUserEmail: Submission<UpdateUserEmailVersions, "ACTIVITY_TYPE_UPDATE_USER_EMAIL"> = /* @__PURE__ */ submission("update_user_email", "ACTIVITY_TYPE_UPDATE_USER_EMAIL", {
  ACTIVITY_TYPE_UPDATE_USER_EMAIL: "updateUserEmailResult",
});

/** The versions of `updateUserName`, by activity type. */
export type UpdateUserNameVersions = {
  ACTIVITY_TYPE_UPDATE_USER_NAME: { parameters: UpdateUserNameIntent; result: UpdateUserNameResult };
};

/**
 * Give a user another name.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_user_name
 */
export const updateUserName: Submission<UpdateUserNameVersions, "ACTIVITY_TYPE_UPDATE_USER_NAME"> = /* @__PURE__ */ submission("update_user_name", "ACTIVITY_TYPE_UPDATE_USER_NAME", {
  ACTIVITY_TYPE_UPDATE_USER_NAME: "updateUserNameResult",
});

/** The versions of `updateUserPhoneNumber`, by activity type. */
export type UpdateUserPhoneNumberVersions = {
  ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER: { parameters: UpdateUserPhoneNumberIntent; result: UpdateUserPhoneNumberResult };
};

/**
 * Change the phone number of a user, or remove it with an empty one. With a verification token of
 * this number that names the key of the stamp, it is verified; with a token for another key, or for
 * none, it is not. Only the root quorum can change the number of a root user.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_user_phone_number
 */
export const updateUserPhoneNumber: Submission<UpdateUserPhoneNumberVersions, "ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER"> = /* @__PURE__ */ submission("update_user_phone_number", "ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER", {
  ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER: "updateUserPhoneNumberResult",
});

/** The versions of `updateUserTag`, by activity type. */
export type UpdateUserTagVersions = {
  ACTIVITY_TYPE_UPDATE_USER_TAG: { parameters: UpdateUserTagIntent; result: UpdateUserTagResult };
};

/**
 * Rename a user tag, add it to users and remove it from others: all of it or nothing. Policies may
 * give permissions by tag.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_user_tag
 */
export const updateUserTag: Submission<UpdateUserTagVersions, "ACTIVITY_TYPE_UPDATE_USER_TAG"> = /* @__PURE__ */ submission("update_user_tag", "ACTIVITY_TYPE_UPDATE_USER_TAG", {
  ACTIVITY_TYPE_UPDATE_USER_TAG: "updateUserTagResult",
});

/** The versions of `updateWallet`, by activity type. */
export type UpdateWalletVersions = {
  ACTIVITY_TYPE_UPDATE_WALLET: { parameters: UpdateWalletIntent; result: UpdateWalletResult };
};

/**
 * Give a wallet another name. Its accounts and keys do not change.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_wallet
 */
export const updateWallet: Submission<UpdateWalletVersions, "ACTIVITY_TYPE_UPDATE_WALLET"> = /* @__PURE__ */ submission("update_wallet", "ACTIVITY_TYPE_UPDATE_WALLET", {
  ACTIVITY_TYPE_UPDATE_WALLET: "updateWalletResult",
});

/** The versions of `updateWebhookEndpoint`, by activity type. */
export type UpdateWebhookEndpointVersions = {
  ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT: { parameters: UpdateWebhookEndpointIntent; result: UpdateWebhookEndpointResult };
};

/**
 * Change a webhook endpoint. Only the given fields change. Events that wait are sent to the new
 * URL. An endpoint that is not active gets nothing, and what waited for it is cancelled.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#update_webhook_endpoint
 */
export const updateWebhookEndpoint: Submission<UpdateWebhookEndpointVersions, "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT"> = /* @__PURE__ */ submission("update_webhook_endpoint", "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT", {
  ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT: "updateWebhookEndpointResult",
});

/** The versions of `verifyOtp`, by activity type. */
export type VerifyOtpVersions = {
  ACTIVITY_TYPE_VERIFY_OTP: { parameters: VerifyOtpIntent; result: VerifyOtpResult };
  ACTIVITY_TYPE_VERIFY_OTP_V2: { parameters: VerifyOtpIntentV2; result: VerifyOtpResult };
};

/**
 * Exchange a code that init_otp sent for a verification token. A code works once. Three wrong
 * attempts lock it. The first version has the code in the clear, where the service's host can read
 * it: use the latest. A token of a parent organization counts in all of its sub-organizations, any
 * other only in its own organization.
 *
 * `options.type` also takes `ACTIVITY_TYPE_VERIFY_OTP`.
 *
 * @throws `ConsensusNeeded`, `PolicyDenied`, `ActivityFailed`, `InvalidField` or another `KeyhearthError`.
 * @see /api#verify_otp
 */
export const verifyOtp: Submission<VerifyOtpVersions, "ACTIVITY_TYPE_VERIFY_OTP_V2"> = /* @__PURE__ */ submission("verify_otp", "ACTIVITY_TYPE_VERIFY_OTP_V2", {
  ACTIVITY_TYPE_VERIFY_OTP: "verifyOtpResult",
  ACTIVITY_TYPE_VERIFY_OTP_V2: "verifyOtpResult",
});

/**
 * Get the user and organization that the credential belongs to. With the id of a parent
 * organization and a credential of exactly one of its sub-organizations, the answer is that
 * sub-organization.
 *
 * @throws `InvalidField`, `NotFound`, `Unauthenticated` or another `KeyhearthError`.
 * @see /api#whoami
 */
export const whoami: BareQuery<Omit<GetWhoamiRequest, "organizationId">, GetWhoamiResponse> = /* @__PURE__ */ query("whoami");
