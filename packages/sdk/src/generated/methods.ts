// GENERATED from contract/openapi.json by packages/sdk/src/generate.ts. Do not edit.

import type { ActivityVersions, Decided, QueryOptions, Submitted, SubmitOptions } from "../options.ts";
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
} from "./types.ts";

/** The versions of `acceptInvitation`, by activity type. */
export type AcceptInvitationVersions = {
  ACTIVITY_TYPE_ACCEPT_INVITATION: { parameters: AcceptInvitationIntent; result: AcceptInvitationResult };
  ACTIVITY_TYPE_ACCEPT_INVITATION_V2: { parameters: AcceptInvitationIntentV2; result: AcceptInvitationResult };
};

/** The versions of `createApiKeys`, by activity type. */
export type CreateApiKeysVersions = {
  ACTIVITY_TYPE_CREATE_API_KEYS: { parameters: CreateApiKeysIntent; result: CreateApiKeysResult };
  ACTIVITY_TYPE_CREATE_API_KEYS_V2: { parameters: CreateApiKeysIntentV2; result: CreateApiKeysResult };
};

/** The versions of `createAuthenticators`, by activity type. */
export type CreateAuthenticatorsVersions = {
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS: { parameters: CreateAuthenticatorsIntent; result: CreateAuthenticatorsResult };
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: { parameters: CreateAuthenticatorsIntentV2; result: CreateAuthenticatorsResult };
};

/** The versions of `createOauthProviders`, by activity type. */
export type CreateOauthProvidersVersions = {
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: { parameters: CreateOauthProvidersIntent; result: CreateOauthProvidersResult };
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2: { parameters: CreateOauthProvidersIntentV2; result: CreateOauthProvidersResultV2 };
};

/** The versions of `createOrganization`, by activity type. */
export type CreateOrganizationVersions = {
  ACTIVITY_TYPE_CREATE_ORGANIZATION: { parameters: CreateOrganizationIntent; result: CreateOrganizationResult };
  ACTIVITY_TYPE_CREATE_ORGANIZATION_V2: { parameters: CreateOrganizationIntentV2; result: CreateOrganizationResult };
};

/** The versions of `createPolicy`, by activity type. */
export type CreatePolicyVersions = {
  ACTIVITY_TYPE_CREATE_POLICY: { parameters: CreatePolicyIntent; result: CreatePolicyResult };
  ACTIVITY_TYPE_CREATE_POLICY_V2: { parameters: CreatePolicyIntentV2; result: CreatePolicyResult };
  ACTIVITY_TYPE_CREATE_POLICY_V3: { parameters: CreatePolicyIntentV3; result: CreatePolicyResult };
};

/** The versions of `createPrivateKeys`, by activity type. */
export type CreatePrivateKeysVersions = {
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: { parameters: CreatePrivateKeysIntent; result: CreatePrivateKeysResult };
  ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2: { parameters: CreatePrivateKeysIntentV2; result: CreatePrivateKeysResultV2 };
};

/** The versions of `createReadWriteSession`, by activity type. */
export type CreateReadWriteSessionVersions = {
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: { parameters: CreateReadWriteSessionIntent; result: CreateReadWriteSessionResult };
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2: { parameters: CreateReadWriteSessionIntentV2; result: CreateReadWriteSessionResultV2 };
};

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

/** The versions of `createUsers`, by activity type. */
export type CreateUsersVersions = {
  ACTIVITY_TYPE_CREATE_USERS: { parameters: CreateUsersIntent; result: CreateUsersResult };
  ACTIVITY_TYPE_CREATE_USERS_V2: { parameters: CreateUsersIntentV2; result: CreateUsersResult };
  ACTIVITY_TYPE_CREATE_USERS_V3: { parameters: CreateUsersIntentV3; result: CreateUsersResult };
  ACTIVITY_TYPE_CREATE_USERS_V4: { parameters: CreateUsersIntentV4; result: CreateUsersResult };
};

/** The versions of `emailAuth`, by activity type. */
export type EmailAuthVersions = {
  ACTIVITY_TYPE_EMAIL_AUTH: { parameters: EmailAuthIntent; result: EmailAuthResult };
  ACTIVITY_TYPE_EMAIL_AUTH_V2: { parameters: EmailAuthIntentV2; result: EmailAuthResult };
  ACTIVITY_TYPE_EMAIL_AUTH_V3: { parameters: EmailAuthIntentV3; result: EmailAuthResult };
};

/** The versions of `initOtp`, by activity type. */
export type InitOtpVersions = {
  ACTIVITY_TYPE_INIT_OTP: { parameters: InitOtpIntent; result: InitOtpResult };
  ACTIVITY_TYPE_INIT_OTP_V2: { parameters: InitOtpIntentV2; result: InitOtpResult };
  ACTIVITY_TYPE_INIT_OTP_V3: { parameters: InitOtpIntentV3; result: InitOtpResultV2 };
};

/** The versions of `initOtpAuth`, by activity type. */
export type InitOtpAuthVersions = {
  ACTIVITY_TYPE_INIT_OTP_AUTH: { parameters: InitOtpAuthIntent; result: InitOtpAuthResult };
  ACTIVITY_TYPE_INIT_OTP_AUTH_V2: { parameters: InitOtpAuthIntentV2; result: InitOtpAuthResultV2 };
  ACTIVITY_TYPE_INIT_OTP_AUTH_V3: { parameters: InitOtpAuthIntentV3; result: InitOtpAuthResultV2 };
};

/** The versions of `initUserEmailRecovery`, by activity type. */
export type InitUserEmailRecoveryVersions = {
  ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY: { parameters: InitUserEmailRecoveryIntent; result: InitUserEmailRecoveryResult };
  ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2: { parameters: InitUserEmailRecoveryIntentV2; result: InitUserEmailRecoveryResult };
};

/** The versions of `otpLogin`, by activity type. */
export type OtpLoginVersions = {
  ACTIVITY_TYPE_OTP_LOGIN: { parameters: OtpLoginIntent; result: OtpLoginResult };
  ACTIVITY_TYPE_OTP_LOGIN_V2: { parameters: OtpLoginIntentV2; result: OtpLoginResult };
};

/** The versions of `signRawPayload`, by activity type. */
export type SignRawPayloadVersions = {
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: { parameters: SignRawPayloadIntent; result: SignRawPayloadResult };
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: { parameters: SignRawPayloadIntentV2; result: SignRawPayloadResult };
};

/** The versions of `signTransaction`, by activity type. */
export type SignTransactionVersions = {
  ACTIVITY_TYPE_SIGN_TRANSACTION: { parameters: SignTransactionIntent; result: SignTransactionResult };
  ACTIVITY_TYPE_SIGN_TRANSACTION_V2: { parameters: SignTransactionIntentV2; result: SignTransactionResult };
};

/** The versions of `updatePolicy`, by activity type. */
export type UpdatePolicyVersions = {
  ACTIVITY_TYPE_UPDATE_POLICY: { parameters: UpdatePolicyIntent; result: UpdatePolicyResult };
  ACTIVITY_TYPE_UPDATE_POLICY_V2: { parameters: UpdatePolicyIntentV2; result: UpdatePolicyResultV2 };
};

/** The versions of `verifyOtp`, by activity type. */
export type VerifyOtpVersions = {
  ACTIVITY_TYPE_VERIFY_OTP: { parameters: VerifyOtpIntent; result: VerifyOtpResult };
  ACTIVITY_TYPE_VERIFY_OTP_V2: { parameters: VerifyOtpIntentV2; result: VerifyOtpResult };
};

/** For each submission, the type sent by default and where each version puts its result. */
export const activityVersions = {
  acceptInvitation: {
    defaultType: "ACTIVITY_TYPE_ACCEPT_INVITATION_V2",
    resultKeys: {
      ACTIVITY_TYPE_ACCEPT_INVITATION: "acceptInvitationResult",
      ACTIVITY_TYPE_ACCEPT_INVITATION_V2: "acceptInvitationResult",
    },
  },
  approveActivity: {
    defaultType: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
    resultKeys: {
      ACTIVITY_TYPE_APPROVE_ACTIVITY: "*",
    },
  },
  createApiKeys: {
    defaultType: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_API_KEYS: "createApiKeysResult",
      ACTIVITY_TYPE_CREATE_API_KEYS_V2: "createApiKeysResult",
    },
  },
  createApiOnlyUsers: {
    defaultType: "ACTIVITY_TYPE_CREATE_API_ONLY_USERS",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_API_ONLY_USERS: "createApiOnlyUsersResult",
    },
  },
  createAuthenticators: {
    defaultType: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_AUTHENTICATORS: "createAuthenticatorsResult",
      ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2: "createAuthenticatorsResult",
    },
  },
  createInvitations: {
    defaultType: "ACTIVITY_TYPE_CREATE_INVITATIONS",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_INVITATIONS: "createInvitationsResult",
    },
  },
  createOauthProviders: {
    defaultType: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: "createOauthProvidersResult",
      ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2: "createOauthProvidersResultV2",
    },
  },
  createOrganization: {
    defaultType: "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_ORGANIZATION: "createOrganizationResult",
      ACTIVITY_TYPE_CREATE_ORGANIZATION_V2: "createOrganizationResult",
    },
  },
  createPolicies: {
    defaultType: "ACTIVITY_TYPE_CREATE_POLICIES",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_POLICIES: "createPoliciesResult",
    },
  },
  createPolicy: {
    defaultType: "ACTIVITY_TYPE_CREATE_POLICY_V3",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_POLICY: "createPolicyResult",
      ACTIVITY_TYPE_CREATE_POLICY_V2: "createPolicyResult",
      ACTIVITY_TYPE_CREATE_POLICY_V3: "createPolicyResult",
    },
  },
  createPrivateKeys: {
    defaultType: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_PRIVATE_KEYS: "createPrivateKeysResult",
      ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2: "createPrivateKeysResultV2",
    },
  },
  createPrivateKeyTag: {
    defaultType: "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG: "createPrivateKeyTagResult",
    },
  },
  createReadOnlySession: {
    defaultType: "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION: "createReadOnlySessionResult",
    },
  },
  createReadWriteSession: {
    defaultType: "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: "createReadWriteSessionResult",
      ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2: "createReadWriteSessionResultV2",
    },
  },
  createSmartContractInterface: {
    defaultType: "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE: "createSmartContractInterfaceResult",
    },
  },
  createSubOrganization: {
    defaultType: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: "createSubOrganizationResult",
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2: "createSubOrganizationResult",
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3: "createSubOrganizationResultV3",
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4: "createSubOrganizationResultV4",
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5: "createSubOrganizationResultV5",
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6: "createSubOrganizationResultV6",
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7: "createSubOrganizationResultV7",
      ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8: "createSubOrganizationResultV8",
    },
  },
  createUsers: {
    defaultType: "ACTIVITY_TYPE_CREATE_USERS_V3",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_USERS: "createUsersResult",
      ACTIVITY_TYPE_CREATE_USERS_V2: "createUsersResult",
      ACTIVITY_TYPE_CREATE_USERS_V3: "createUsersResult",
      ACTIVITY_TYPE_CREATE_USERS_V4: "createUsersResult",
    },
  },
  createUserTag: {
    defaultType: "ACTIVITY_TYPE_CREATE_USER_TAG",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_USER_TAG: "createUserTagResult",
    },
  },
  createWallet: {
    defaultType: "ACTIVITY_TYPE_CREATE_WALLET",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_WALLET: "createWalletResult",
    },
  },
  createWalletAccounts: {
    defaultType: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: "createWalletAccountsResult",
    },
  },
  createWebhookEndpoint: {
    defaultType: "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT",
    resultKeys: {
      ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT: "createWebhookEndpointResult",
    },
  },
  deleteApiKeys: {
    defaultType: "ACTIVITY_TYPE_DELETE_API_KEYS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_API_KEYS: "deleteApiKeysResult",
    },
  },
  deleteAuthenticators: {
    defaultType: "ACTIVITY_TYPE_DELETE_AUTHENTICATORS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_AUTHENTICATORS: "deleteAuthenticatorsResult",
    },
  },
  deleteInvitation: {
    defaultType: "ACTIVITY_TYPE_DELETE_INVITATION",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_INVITATION: "deleteInvitationResult",
    },
  },
  deleteOauthProviders: {
    defaultType: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: "deleteOauthProvidersResult",
    },
  },
  deleteOrganization: {
    defaultType: "ACTIVITY_TYPE_DELETE_ORGANIZATION",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_ORGANIZATION: "deleteOrganizationResult",
    },
  },
  deletePolicies: {
    defaultType: "ACTIVITY_TYPE_DELETE_POLICIES",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_POLICIES: "deletePoliciesResult",
    },
  },
  deletePolicy: {
    defaultType: "ACTIVITY_TYPE_DELETE_POLICY",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_POLICY: "deletePolicyResult",
    },
  },
  deletePrivateKeys: {
    defaultType: "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_PRIVATE_KEYS: "deletePrivateKeysResult",
    },
  },
  deletePrivateKeyTags: {
    defaultType: "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS: "deletePrivateKeyTagsResult",
    },
  },
  deleteSmartContractInterface: {
    defaultType: "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE: "deleteSmartContractInterfaceResult",
    },
  },
  deleteSubOrganization: {
    defaultType: "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: "deleteSubOrganizationResult",
    },
  },
  deleteUsers: {
    defaultType: "ACTIVITY_TYPE_DELETE_USERS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_USERS: "deleteUsersResult",
    },
  },
  deleteUserTags: {
    defaultType: "ACTIVITY_TYPE_DELETE_USER_TAGS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_USER_TAGS: "deleteUserTagsResult",
    },
  },
  deleteWalletAccounts: {
    defaultType: "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS: "deleteWalletAccountsResult",
    },
  },
  deleteWallets: {
    defaultType: "ACTIVITY_TYPE_DELETE_WALLETS",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_WALLETS: "deleteWalletsResult",
    },
  },
  deleteWebhookEndpoint: {
    defaultType: "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT",
    resultKeys: {
      ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT: "deleteWebhookEndpointResult",
    },
  },
  emailAuth: {
    defaultType: "ACTIVITY_TYPE_EMAIL_AUTH_V2",
    resultKeys: {
      ACTIVITY_TYPE_EMAIL_AUTH: "emailAuthResult",
      ACTIVITY_TYPE_EMAIL_AUTH_V2: "emailAuthResult",
      ACTIVITY_TYPE_EMAIL_AUTH_V3: "emailAuthResult",
    },
  },
  exportPrivateKey: {
    defaultType: "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY",
    resultKeys: {
      ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: "exportPrivateKeyResult",
    },
  },
  exportWallet: {
    defaultType: "ACTIVITY_TYPE_EXPORT_WALLET",
    resultKeys: {
      ACTIVITY_TYPE_EXPORT_WALLET: "exportWalletResult",
    },
  },
  exportWalletAccount: {
    defaultType: "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT",
    resultKeys: {
      ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: "exportWalletAccountResult",
    },
  },
  importPrivateKey: {
    defaultType: "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY",
    resultKeys: {
      ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: "importPrivateKeyResult",
    },
  },
  importWallet: {
    defaultType: "ACTIVITY_TYPE_IMPORT_WALLET",
    resultKeys: {
      ACTIVITY_TYPE_IMPORT_WALLET: "importWalletResult",
    },
  },
  initImportPrivateKey: {
    defaultType: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY",
    resultKeys: {
      ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: "initImportPrivateKeyResult",
    },
  },
  initImportWallet: {
    defaultType: "ACTIVITY_TYPE_INIT_IMPORT_WALLET",
    resultKeys: {
      ACTIVITY_TYPE_INIT_IMPORT_WALLET: "initImportWalletResult",
    },
  },
  initOtp: {
    defaultType: "ACTIVITY_TYPE_INIT_OTP_V3",
    resultKeys: {
      ACTIVITY_TYPE_INIT_OTP: "initOtpResult",
      ACTIVITY_TYPE_INIT_OTP_V2: "initOtpResult",
      ACTIVITY_TYPE_INIT_OTP_V3: "initOtpResultV2",
    },
  },
  initOtpAuth: {
    defaultType: "ACTIVITY_TYPE_INIT_OTP_AUTH_V2",
    resultKeys: {
      ACTIVITY_TYPE_INIT_OTP_AUTH: "initOtpAuthResult",
      ACTIVITY_TYPE_INIT_OTP_AUTH_V2: "initOtpAuthResultV2",
      ACTIVITY_TYPE_INIT_OTP_AUTH_V3: "initOtpAuthResultV2",
    },
  },
  initUserEmailRecovery: {
    defaultType: "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY",
    resultKeys: {
      ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY: "initUserEmailRecoveryResult",
      ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2: "initUserEmailRecoveryResult",
    },
  },
  logOutEverywhere: {
    defaultType: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
    resultKeys: {
      ACTIVITY_TYPE_LOG_OUT_EVERYWHERE: "logOutEverywhereResult",
    },
  },
  oauth: {
    defaultType: "ACTIVITY_TYPE_OAUTH",
    resultKeys: {
      ACTIVITY_TYPE_OAUTH: "oauthResult",
    },
  },
  oauthLogin: {
    defaultType: "ACTIVITY_TYPE_OAUTH_LOGIN",
    resultKeys: {
      ACTIVITY_TYPE_OAUTH_LOGIN: "oauthLoginResult",
    },
  },
  otpAuth: {
    defaultType: "ACTIVITY_TYPE_OTP_AUTH",
    resultKeys: {
      ACTIVITY_TYPE_OTP_AUTH: "otpAuthResult",
    },
  },
  otpLogin: {
    defaultType: "ACTIVITY_TYPE_OTP_LOGIN_V2",
    resultKeys: {
      ACTIVITY_TYPE_OTP_LOGIN: "otpLoginResult",
      ACTIVITY_TYPE_OTP_LOGIN_V2: "otpLoginResult",
    },
  },
  recoverUser: {
    defaultType: "ACTIVITY_TYPE_RECOVER_USER",
    resultKeys: {
      ACTIVITY_TYPE_RECOVER_USER: "recoverUserResult",
    },
  },
  rejectActivity: {
    defaultType: "ACTIVITY_TYPE_REJECT_ACTIVITY",
    resultKeys: {
      ACTIVITY_TYPE_REJECT_ACTIVITY: "*",
    },
  },
  removeOrganizationFeature: {
    defaultType: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
    resultKeys: {
      ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE: "removeOrganizationFeatureResult",
    },
  },
  resendWebhookDelivery: {
    defaultType: "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY",
    resultKeys: {
      ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY: "resendWebhookDeliveryResult",
    },
  },
  setOrganizationFeature: {
    defaultType: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    resultKeys: {
      ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE: "setOrganizationFeatureResult",
    },
  },
  signRawPayload: {
    defaultType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
    resultKeys: {
      ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: "signRawPayloadResult",
      ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2: "signRawPayloadResult",
    },
  },
  signRawPayloads: {
    defaultType: "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS",
    resultKeys: {
      ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: "signRawPayloadsResult",
    },
  },
  signTransaction: {
    defaultType: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
    resultKeys: {
      ACTIVITY_TYPE_SIGN_TRANSACTION: "signTransactionResult",
      ACTIVITY_TYPE_SIGN_TRANSACTION_V2: "signTransactionResult",
    },
  },
  stampLogin: {
    defaultType: "ACTIVITY_TYPE_STAMP_LOGIN",
    resultKeys: {
      ACTIVITY_TYPE_STAMP_LOGIN: "stampLoginResult",
    },
  },
  updateOrganizationName: {
    defaultType: "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME: "updateOrganizationNameResult",
    },
  },
  updatePolicy: {
    defaultType: "ACTIVITY_TYPE_UPDATE_POLICY_V2",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_POLICY: "updatePolicyResult",
      ACTIVITY_TYPE_UPDATE_POLICY_V2: "updatePolicyResultV2",
    },
  },
  updatePrivateKeyTag: {
    defaultType: "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG: "updatePrivateKeyTagResult",
    },
  },
  updateRootQuorum: {
    defaultType: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_ROOT_QUORUM: "updateRootQuorumResult",
    },
  },
  updateUser: {
    defaultType: "ACTIVITY_TYPE_UPDATE_USER",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_USER: "updateUserResult",
    },
  },
  updateUserEmail: {
    defaultType: "ACTIVITY_TYPE_UPDATE_USER_EMAIL",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_USER_EMAIL: "updateUserEmailResult",
    },
  },
  updateUserName: {
    defaultType: "ACTIVITY_TYPE_UPDATE_USER_NAME",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_USER_NAME: "updateUserNameResult",
    },
  },
  updateUserPhoneNumber: {
    defaultType: "ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER: "updateUserPhoneNumberResult",
    },
  },
  updateUserTag: {
    defaultType: "ACTIVITY_TYPE_UPDATE_USER_TAG",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_USER_TAG: "updateUserTagResult",
    },
  },
  updateWallet: {
    defaultType: "ACTIVITY_TYPE_UPDATE_WALLET",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_WALLET: "updateWalletResult",
    },
  },
  updateWebhookEndpoint: {
    defaultType: "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT",
    resultKeys: {
      ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT: "updateWebhookEndpointResult",
    },
  },
  verifyOtp: {
    defaultType: "ACTIVITY_TYPE_VERIFY_OTP_V2",
    resultKeys: {
      ACTIVITY_TYPE_VERIFY_OTP: "verifyOtpResult",
      ACTIVITY_TYPE_VERIFY_OTP_V2: "verifyOtpResult",
    },
  },
} as const satisfies Record<string, ActivityVersions>;

/** One method for each operation of the contract; `KeyhearthClient` adds the transport. */
export abstract class Methods {
  protected abstract query<Response>(
    path: string,
    parameters: object,
    options?: QueryOptions,
  ): Promise<Response>;

  protected abstract submit<Answer>(
    path: string,
    parameters: object,
    options: SubmitOptions<string> | undefined,
    versions: ActivityVersions,
  ): Promise<Answer>;

  /**
   * Accept invitation
   *
   * Become a user of the organization that sent an invitation. Register a passkey with the token of the invitation as the challenge, and stamp this request with that passkey. The new user has the name, email address and tags of the invitation, which works once.
   */
  acceptInvitation<Type extends keyof AcceptInvitationVersions = "ACTIVITY_TYPE_ACCEPT_INVITATION_V2">(
    parameters: AcceptInvitationVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<AcceptInvitationVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/accept_invitation", parameters, options, activityVersions.acceptInvitation);
  }

  /**
   * Approve activity
   *
   * Approve an activity that needs consensus. Returns the approved activity, with its result after the last approval.
   */
  approveActivity(
    parameters: ApproveActivityIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_APPROVE_ACTIVITY">,
  ): Promise<Decided> {
    return this.submit("/public/v1/submit/approve_activity", parameters, options, activityVersions.approveActivity);
  }

  /**
   * Create API keys
   *
   * Add API keys to an existing user.
   */
  createApiKeys<Type extends keyof CreateApiKeysVersions = "ACTIVITY_TYPE_CREATE_API_KEYS_V2">(
    parameters: CreateApiKeysVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateApiKeysVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_api_keys", parameters, options, activityVersions.createApiKeys);
  }

  /**
   * Create API-only users
   *
   * Create users who stamp with P-256 API keys, such as programs. They can get other credentials later.
   */
  createApiOnlyUsers(
    parameters: CreateApiOnlyUsersIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_API_ONLY_USERS">,
  ): Promise<Submitted<CreateApiOnlyUsersResult>> {
    return this.submit("/public/v1/submit/create_api_only_users", parameters, options, activityVersions.createApiOnlyUsers);
  }

  /**
   * Create authenticators
   *
   * Add passkeys to an existing user.
   */
  createAuthenticators<Type extends keyof CreateAuthenticatorsVersions = "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2">(
    parameters: CreateAuthenticatorsVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateAuthenticatorsVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_authenticators", parameters, options, activityVersions.createAuthenticators);
  }

  /**
   * Create invitations
   *
   * Invite people to join an organization. An invitation works once and within a week, and ends when the user who sent or created it is deleted. Each receiver gets an email with the token that accepts the invitation.
   */
  createInvitations(
    parameters: CreateInvitationsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_INVITATIONS">,
  ): Promise<Submitted<CreateInvitationsResult>> {
    return this.submit("/public/v1/submit/create_invitations", parameters, options, activityVersions.createInvitations);
  }

  /**
   * Create OAuth providers
   *
   * Add social logins to an existing user: the user is whoever a provider's token says that they are. An identity (issuer, audience and subject) belongs to one user of an organization.
   */
  createOauthProviders<Type extends keyof CreateOauthProvidersVersions = "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS">(
    parameters: CreateOauthProvidersVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateOauthProvidersVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_oauth_providers", parameters, options, activityVersions.createOauthProviders);
  }

  /**
   * Create organization
   *
   * Create a top-level organization with one root user. Stamp the request with the credential that it registers, and send it to the `rootOrganizationId` of /.well-known/keyhearth.json. The service must be open for signup. The activity belongs to the new organization.
   */
  createOrganization<Type extends keyof CreateOrganizationVersions = "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2">(
    parameters: CreateOrganizationVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateOrganizationVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_organization", parameters, options, activityVersions.createOrganization);
  }

  /**
   * Create policies
   *
   * Create several policies at once: all of them, or none if one is refused.
   */
  createPolicies(
    parameters: CreatePoliciesIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_POLICIES">,
  ): Promise<Submitted<CreatePoliciesResult>> {
    return this.submit("/public/v1/submit/create_policies", parameters, options, activityVersions.createPolicies);
  }

  /**
   * Create policy
   *
   * Create a policy: what it allows or denies, who must agree, and when. It applies to every request after this one.
   */
  createPolicy<Type extends keyof CreatePolicyVersions = "ACTIVITY_TYPE_CREATE_POLICY_V3">(
    parameters: CreatePolicyVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreatePolicyVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_policy", parameters, options, activityVersions.createPolicy);
  }

  /**
   * Create private keys
   *
   * Create new private keys.
   */
  createPrivateKeys<Type extends keyof CreatePrivateKeysVersions = "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2">(
    parameters: CreatePrivateKeysVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreatePrivateKeysVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_private_keys", parameters, options, activityVersions.createPrivateKeys);
  }

  /**
   * Create private key tag
   *
   * Create a private key tag and add it to private keys.
   */
  createPrivateKeyTag(
    parameters: CreatePrivateKeyTagIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG">,
  ): Promise<Submitted<CreatePrivateKeyTagResult>> {
    return this.submit("/public/v1/submit/create_private_key_tag", parameters, options, activityVersions.createPrivateKeyTag);
  }

  /**
   * Create read only session
   *
   * Get a token that you send in `X-Session` instead of a stamp. It permits queries, and only those, for one hour. With the id of a parent organization and a credential of exactly one of its sub-organizations, the session is for that sub-organization.
   */
  createReadOnlySession(
    parameters: CreateReadOnlySessionIntent = {},
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION">,
  ): Promise<Submitted<CreateReadOnlySessionResult>> {
    return this.submit("/public/v1/submit/create_read_only_session", parameters, options, activityVersions.createReadOnlySession);
  }

  /**
   * Create read write session
   *
   * Start a session with a key that the service makes and returns, encrypted to your key. It is yours unless `userId` names another user, for which you need a permission. With the id of a parent organization and a credential of exactly one of its sub-organizations, the session is for that sub-organization.
   */
  createReadWriteSession<Type extends keyof CreateReadWriteSessionVersions = "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2">(
    parameters: CreateReadWriteSessionVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateReadWriteSessionVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_read_write_session", parameters, options, activityVersions.createReadWriteSession);
  }

  /**
   * Create smart contract interface
   *
   * Store the ABI of an Ethereum contract or the IDL of a Solana program, so that policies can read the arguments of its calls. An organization may have 100. A sub-organization does not use the interfaces of its parent.
   */
  createSmartContractInterface(
    parameters: CreateSmartContractInterfaceIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE">,
  ): Promise<Submitted<CreateSmartContractInterfaceResult>> {
    return this.submit("/public/v1/submit/create_smart_contract_interface", parameters, options, activityVersions.createSmartContractInterface);
  }

  /**
   * Create sub-organization
   *
   * Create a sub-organization with its own root users and quorum and, optionally, a wallet.
   */
  createSubOrganization<Type extends keyof CreateSubOrganizationVersions = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7">(
    parameters: CreateSubOrganizationVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateSubOrganizationVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_sub_organization", parameters, options, activityVersions.createSubOrganization);
  }

  /**
   * Create users
   *
   * Create users in an existing organization.
   */
  createUsers<Type extends keyof CreateUsersVersions = "ACTIVITY_TYPE_CREATE_USERS_V3">(
    parameters: CreateUsersVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<CreateUsersVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/create_users", parameters, options, activityVersions.createUsers);
  }

  /**
   * Create user tag
   *
   * Create a user tag and add it to users.
   */
  createUserTag(
    parameters: CreateUserTagIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_USER_TAG">,
  ): Promise<Submitted<CreateUserTagResult>> {
    return this.submit("/public/v1/submit/create_user_tag", parameters, options, activityVersions.createUserTag);
  }

  /**
   * Create wallet
   *
   * Create a wallet and derive its first accounts.
   */
  createWallet(
    parameters: CreateWalletIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_WALLET">,
  ): Promise<Submitted<CreateWalletResult>> {
    return this.submit("/public/v1/submit/create_wallet", parameters, options, activityVersions.createWallet);
  }

  /**
   * Create wallet accounts
   *
   * Derive additional accounts of an existing wallet.
   */
  createWalletAccounts(
    parameters: CreateWalletAccountsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS">,
  ): Promise<Submitted<CreateWalletAccountsResult>> {
    return this.submit("/public/v1/submit/create_wallet_accounts", parameters, options, activityVersions.createWalletAccounts);
  }

  /**
   * Create webhook endpoint
   *
   * Send events to a URL: those of the organization and of all its sub-organizations. An organization may have 10 endpoints. Only `ACTIVITY_UPDATES` happen in this version; other types are accepted and never sent.
   */
  createWebhookEndpoint(
    parameters: CreateWebhookEndpointIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT">,
  ): Promise<Submitted<CreateWebhookEndpointResult>> {
    return this.submit("/public/v1/submit/create_webhook_endpoint", parameters, options, activityVersions.createWebhookEndpoint);
  }

  /**
   * Delete API keys
   *
   * Remove API keys from a user.
   */
  deleteApiKeys(
    parameters: DeleteApiKeysIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_API_KEYS">,
  ): Promise<Submitted<DeleteApiKeysResult>> {
    return this.submit("/public/v1/submit/delete_api_keys", parameters, options, activityVersions.deleteApiKeys);
  }

  /**
   * Delete authenticators
   *
   * Remove passkeys from a user.
   */
  deleteAuthenticators(
    parameters: DeleteAuthenticatorsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_AUTHENTICATORS">,
  ): Promise<Submitted<DeleteAuthenticatorsResult>> {
    return this.submit("/public/v1/submit/delete_authenticators", parameters, options, activityVersions.deleteAuthenticators);
  }

  /**
   * Delete invitation
   *
   * Withdraw an invitation that has not been accepted. Its token stops working.
   */
  deleteInvitation(
    parameters: DeleteInvitationIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_INVITATION">,
  ): Promise<Submitted<DeleteInvitationResult>> {
    return this.submit("/public/v1/submit/delete_invitation", parameters, options, activityVersions.deleteInvitation);
  }

  /**
   * Delete OAuth providers
   *
   * Remove social logins from a user, and end the user's logins: sessions of CREDENTIAL_TYPE_LOGIN and CREDENTIAL_TYPE_OAUTH_KEY_P256. Users can do this for themselves.
   */
  deleteOauthProviders(
    parameters: DeleteOauthProvidersIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS">,
  ): Promise<Submitted<DeleteOauthProvidersResult>> {
    return this.submit("/public/v1/submit/delete_oauth_providers", parameters, options, activityVersions.deleteOauthProviders);
  }

  /**
   * Delete organization
   *
   * Delete a top-level organization with everything in it. Only its root quorum can do this, and only if it has no sub-organizations and every wallet and private key was exported, or `deleteWithoutExport` is true. Nothing brings it back.
   */
  deleteOrganization(
    parameters: DeleteOrganizationIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_ORGANIZATION">,
  ): Promise<Submitted<DeleteOrganizationResult>> {
    return this.submit("/public/v1/submit/delete_organization", parameters, options, activityVersions.deleteOrganization);
  }

  /**
   * Delete policies
   *
   * Delete several policies at once: all of them, or none if one does not exist.
   */
  deletePolicies(
    parameters: DeletePoliciesIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_POLICIES">,
  ): Promise<Submitted<DeletePoliciesResult>> {
    return this.submit("/public/v1/submit/delete_policies", parameters, options, activityVersions.deletePolicies);
  }

  /**
   * Delete policy
   *
   * Delete a policy. From the next request, it no longer allows or denies anything. This includes activities that are waiting for approvals.
   */
  deletePolicy(
    parameters: DeletePolicyIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_POLICY">,
  ): Promise<Submitted<DeletePolicyResult>> {
    return this.submit("/public/v1/submit/delete_policy", parameters, options, activityVersions.deletePolicy);
  }

  /**
   * Delete private keys
   *
   * Delete private keys: all of them, or none if one does not exist or was never exported. Nothing brings a deleted key back except a copy that was exported.
   */
  deletePrivateKeys(
    parameters: DeletePrivateKeysIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_PRIVATE_KEYS">,
  ): Promise<Submitted<DeletePrivateKeysResult>> {
    return this.submit("/public/v1/submit/delete_private_keys", parameters, options, activityVersions.deletePrivateKeys);
  }

  /**
   * Delete private key tags
   *
   * Delete private key tags and remove them from all private keys: all of the tags, or none if one does not exist. The keys stay. Policies that name a deleted tag no longer match any key.
   */
  deletePrivateKeyTags(
    parameters: DeletePrivateKeyTagsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS">,
  ): Promise<Submitted<DeletePrivateKeyTagsResult>> {
    return this.submit("/public/v1/submit/delete_private_key_tags", parameters, options, activityVersions.deletePrivateKeyTags);
  }

  /**
   * Delete smart contract interface
   *
   * Delete the interface of a contract. Policies no longer see the arguments of its calls: a policy that reads them cannot be evaluated, so it allows nothing.
   */
  deleteSmartContractInterface(
    parameters: DeleteSmartContractInterfaceIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE">,
  ): Promise<Submitted<DeleteSmartContractInterfaceResult>> {
    return this.submit("/public/v1/submit/delete_smart_contract_interface", parameters, options, activityVersions.deleteSmartContractInterface);
  }

  /**
   * Delete sub-organization
   *
   * Delete the sub-organization that the request is sent to, with everything in it. Its own users decide; its parent cannot delete it. Every wallet and private key must have been exported, or `deleteWithoutExport` must be true. Nothing brings it back.
   */
  deleteSubOrganization(
    parameters: DeleteSubOrganizationIntent = {},
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION">,
  ): Promise<Submitted<DeleteSubOrganizationResult>> {
    return this.submit("/public/v1/submit/delete_sub_organization", parameters, options, activityVersions.deleteSubOrganization);
  }

  /**
   * Delete users
   *
   * Delete users, with their credentials, sessions and started imports: all of the users, or none if one cannot be deleted. Their approvals no longer count, and the invitations that they sent end. Members of the root quorum cannot be deleted.
   */
  deleteUsers(
    parameters: DeleteUsersIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_USERS">,
  ): Promise<Submitted<DeleteUsersResult>> {
    return this.submit("/public/v1/submit/delete_users", parameters, options, activityVersions.deleteUsers);
  }

  /**
   * Delete user tags
   *
   * Delete user tags and remove them from all users: all of the tags, or none if one does not exist. The users stay. Policies that name a deleted tag no longer match any user.
   */
  deleteUserTags(
    parameters: DeleteUserTagsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_USER_TAGS">,
  ): Promise<Submitted<DeleteUserTagsResult>> {
    return this.submit("/public/v1/submit/delete_user_tags", parameters, options, activityVersions.deleteUserTags);
  }

  /**
   * Delete wallet accounts
   *
   * Delete accounts of wallets: all of them, or none if one does not exist or was never exported. The wallets stay, and can derive the same addresses again. An organization may have 1,000 deleted accounts in wallets that it keeps.
   */
  deleteWalletAccounts(
    parameters: DeleteWalletAccountsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS">,
  ): Promise<Submitted<DeleteWalletAccountsResult>> {
    return this.submit("/public/v1/submit/delete_wallet_accounts", parameters, options, activityVersions.deleteWalletAccounts);
  }

  /**
   * Delete wallets
   *
   * Delete wallets with their accounts: all of them, or none if one does not exist or was never exported. Nothing brings a deleted wallet back except its mnemonic.
   */
  deleteWallets(
    parameters: DeleteWalletsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_WALLETS">,
  ): Promise<Submitted<DeleteWalletsResult>> {
    return this.submit("/public/v1/submit/delete_wallets", parameters, options, activityVersions.deleteWallets);
  }

  /**
   * Delete webhook endpoint
   *
   * Delete a webhook endpoint. What waited for it is cancelled.
   */
  deleteWebhookEndpoint(
    parameters: DeleteWebhookEndpointIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT">,
  ): Promise<Submitted<DeleteWebhookEndpointResult>> {
    return this.submit("/public/v1/submit/delete_webhook_endpoint", parameters, options, activityVersions.deleteWebhookEndpoint);
  }

  /**
   * Log in by email
   *
   * Send a mail that logs a user in. It has the key of a session, encrypted to the key of the client that asks. A user of the parent organization may ask for the users of a sub-organization.
   */
  emailAuth<Type extends keyof EmailAuthVersions = "ACTIVITY_TYPE_EMAIL_AUTH_V2">(
    parameters: EmailAuthVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<EmailAuthVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/email_auth", parameters, options, activityVersions.emailAuth);
  }

  /**
   * Export private key
   *
   * Export a private key, encrypted to your key.
   */
  exportPrivateKey(
    parameters: ExportPrivateKeyIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_EXPORT_PRIVATE_KEY">,
  ): Promise<Submitted<ExportPrivateKeyResult>> {
    return this.submit("/public/v1/submit/export_private_key", parameters, options, activityVersions.exportPrivateKey);
  }

  /**
   * Export wallet
   *
   * Export the mnemonic of a wallet, encrypted to your key.
   */
  exportWallet(
    parameters: ExportWalletIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_EXPORT_WALLET">,
  ): Promise<Submitted<ExportWalletResult>> {
    return this.submit("/public/v1/submit/export_wallet", parameters, options, activityVersions.exportWallet);
  }

  /**
   * Export wallet account
   *
   * Export the private key of a wallet account, encrypted to your key.
   */
  exportWalletAccount(
    parameters: ExportWalletAccountIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT">,
  ): Promise<Submitted<ExportWalletAccountResult>> {
    return this.submit("/public/v1/submit/export_wallet_account", parameters, options, activityVersions.exportWalletAccount);
  }

  /**
   * Get activity
   *
   * Get an activity by its id.
   */
  getActivity(
    parameters: Omit<GetActivityRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<ActivityResponse> {
    return this.query("/public/v1/query/get_activity", parameters, options);
  }

  /**
   * Get API key
   *
   * Get an API key by its id. A key that has expired is not found.
   */
  getApiKey(
    parameters: Omit<GetApiKeyRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetApiKeyResponse> {
    return this.query("/public/v1/query/get_api_key", parameters, options);
  }

  /**
   * Get API keys
   *
   * Get the API keys of a user that have not expired. Without `userId`, get those of all users.
   */
  getApiKeys(
    parameters: Omit<GetApiKeysRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetApiKeysResponse> {
    return this.query("/public/v1/query/get_api_keys", parameters, options);
  }

  /**
   * Get authenticator
   *
   * Get a passkey by its id.
   */
  getAuthenticator(
    parameters: Omit<GetAuthenticatorRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetAuthenticatorResponse> {
    return this.query("/public/v1/query/get_authenticator", parameters, options);
  }

  /**
   * Get authenticators
   *
   * Get the passkeys of a user.
   */
  getAuthenticators(
    parameters: Omit<GetAuthenticatorsRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetAuthenticatorsResponse> {
    return this.query("/public/v1/query/get_authenticators", parameters, options);
  }

  /**
   * Get OAuth providers
   *
   * Get the OAuth providers of a user. Without `userId`, get those of all users.
   */
  getOauthProviders(
    parameters: Omit<GetOauthProvidersRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetOauthProvidersResponse> {
    return this.query("/public/v1/query/get_oauth_providers", parameters, options);
  }

  /**
   * Get organization
   *
   * Get an organization as a whole: its users, policies, private keys, invitations, tags, root quorum, features, wallets and contract interfaces.
   */
  getOrganization(
    parameters: Omit<GetOrganizationRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetOrganizationResponse> {
    return this.query("/public/v1/query/get_organization", parameters, options);
  }

  /**
   * Get organization configs
   *
   * Get the features that are switched on in an organization, and its root quorum.
   */
  getOrganizationConfigs(
    parameters: Omit<GetOrganizationConfigsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetOrganizationConfigsResponse> {
    return this.query("/public/v1/query/get_organization_configs", parameters, options);
  }

  /**
   * Get policy
   *
   * Get a policy by its id.
   */
  getPolicy(
    parameters: Omit<GetPolicyRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetPolicyResponse> {
    return this.query("/public/v1/query/get_policy", parameters, options);
  }

  /**
   * Get policy evaluations
   *
   * Get the outcome of each policy at every vote of an activity. A denied request leaves no activity: use the `traceId` of its error, which is kept for a day. With `includeTrace`, the reasons are computed again from the policies and records of that time.
   */
  getPolicyEvaluations(
    parameters: Omit<GetPolicyEvaluationsRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetPolicyEvaluationsResponse> {
    return this.query("/public/v1/query/get_policy_evaluations", parameters, options);
  }

  /**
   * Get private key
   *
   * Get the public key, addresses and tags of a private key by its id.
   */
  getPrivateKey(
    parameters: Omit<GetPrivateKeyRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetPrivateKeyResponse> {
    return this.query("/public/v1/query/get_private_key", parameters, options);
  }

  /**
   * Get receipts
   *
   * Get receipts of one activity, or a page of the organization's log: segments in order, each with all of its receipts. The answer can be verified offline with the quorum public key.
   */
  getReceipts(
    parameters: Omit<GetReceiptsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetReceiptsResponse> {
    return this.query("/public/v1/query/get_receipts", parameters, options);
  }

  /**
   * Get smart contract interface
   *
   * Get the interface of a smart contract by its id.
   */
  getSmartContractInterface(
    parameters: Omit<GetSmartContractInterfaceRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetSmartContractInterfaceResponse> {
    return this.query("/public/v1/query/get_smart_contract_interface", parameters, options);
  }

  /**
   * Get user
   *
   * Get a user by id, with credentials and tags.
   */
  getUser(
    parameters: Omit<GetUserRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetUserResponse> {
    return this.query("/public/v1/query/get_user", parameters, options);
  }

  /**
   * Get wallet
   *
   * Get a wallet by its id.
   */
  getWallet(
    parameters: Omit<GetWalletRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetWalletResponse> {
    return this.query("/public/v1/query/get_wallet", parameters, options);
  }

  /**
   * Get wallet account
   *
   * Get an account of a wallet by its address or its path. If both are given, both must match.
   */
  getWalletAccount(
    parameters: Omit<GetWalletAccountRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<GetWalletAccountResponse> {
    return this.query("/public/v1/query/get_wallet_account", parameters, options);
  }

  /**
   * Import private key
   *
   * Import a private key that you encrypted to the key of your import bundle.
   */
  importPrivateKey(
    parameters: ImportPrivateKeyIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_IMPORT_PRIVATE_KEY">,
  ): Promise<Submitted<ImportPrivateKeyResult>> {
    return this.submit("/public/v1/submit/import_private_key", parameters, options, activityVersions.importPrivateKey);
  }

  /**
   * Import wallet
   *
   * Import a mnemonic that you encrypted to the key of your import bundle.
   */
  importWallet(
    parameters: ImportWalletIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_IMPORT_WALLET">,
  ): Promise<Submitted<ImportWalletResult>> {
    return this.submit("/public/v1/submit/import_wallet", parameters, options, activityVersions.importWallet);
  }

  /**
   * Init import private key
   *
   * Get the key to which you encrypt a private key. It can be used for one import, within an hour, and replaces your earlier one.
   */
  initImportPrivateKey(
    parameters: InitImportPrivateKeyIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY">,
  ): Promise<Submitted<InitImportPrivateKeyResult>> {
    return this.submit("/public/v1/submit/init_import_private_key", parameters, options, activityVersions.initImportPrivateKey);
  }

  /**
   * Init import wallet
   *
   * Get the key to which you encrypt a mnemonic. It can be used for one import, within an hour, and replaces your earlier one.
   */
  initImportWallet(
    parameters: InitImportWalletIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_INIT_IMPORT_WALLET">,
  ): Promise<Submitted<InitImportWalletResult>> {
    return this.submit("/public/v1/submit/init_import_wallet", parameters, options, activityVersions.initImportWallet);
  }

  /**
   * Init generic OTP
   *
   * Send a one-time code to an email address or a phone number, whether it belongs to a user or not. verify_otp turns the code into a verification token, with which its holder logs in, signs up or changes a contact. The client encrypts the code to the key in `otpEncryptionTargetBundle`.
   */
  initOtp<Type extends keyof InitOtpVersions = "ACTIVITY_TYPE_INIT_OTP_V3">(
    parameters: InitOtpVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<InitOtpVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/init_otp", parameters, options, activityVersions.initOtp);
  }

  /**
   * Init OTP auth
   *
   * Send a one-time code to the email address or phone number of a user. otp_auth exchanges it for a key. A user of the parent organization may do this for a sub-organization.
   */
  initOtpAuth<Type extends keyof InitOtpAuthVersions = "ACTIVITY_TYPE_INIT_OTP_AUTH_V2">(
    parameters: InitOtpAuthVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<InitOtpAuthVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/init_otp_auth", parameters, options, activityVersions.initOtpAuth);
  }

  /**
   * Init email recovery
   *
   * Send a mail with which a user who lost every credential registers a passkey, by recover_user. It has a key, encrypted to the key of the client that asks. Only the newest one counts. A user of the parent organization may ask for the users of a sub-organization.
   */
  initUserEmailRecovery<Type extends keyof InitUserEmailRecoveryVersions = "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY">(
    parameters: InitUserEmailRecoveryVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<InitUserEmailRecoveryVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/init_user_email_recovery", parameters, options, activityVersions.initUserEmailRecovery);
  }

  /**
   * List activities
   *
   * List activities of an organization, newest first. To get the next older page, give the id of the page's last activity as `before`.
   */
  listActivities(
    parameters: Omit<GetActivitiesRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetActivitiesResponse> {
    return this.query("/public/v1/query/list_activities", parameters, options);
  }

  /**
   * List policies
   *
   * List all policies of an organization, oldest first.
   */
  listPolicies(
    parameters: Omit<GetPoliciesRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetPoliciesResponse> {
    return this.query("/public/v1/query/list_policies", parameters, options);
  }

  /**
   * List private keys
   *
   * List the public keys, addresses and tags of all private keys of an organization.
   */
  listPrivateKeys(
    parameters: Omit<GetPrivateKeysRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetPrivateKeysResponse> {
    return this.query("/public/v1/query/list_private_keys", parameters, options);
  }

  /**
   * List private key tags
   *
   * List all private key tags of an organization.
   */
  listPrivateKeyTags(
    parameters: Omit<ListPrivateKeyTagsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<ListPrivateKeyTagsResponse> {
    return this.query("/public/v1/query/list_private_key_tags", parameters, options);
  }

  /**
   * List smart contract interfaces
   *
   * List the smart contract interfaces of an organization, with their texts.
   */
  listSmartContractInterfaces(
    parameters: Omit<GetSmartContractInterfacesRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetSmartContractInterfacesResponse> {
    return this.query("/public/v1/query/list_smart_contract_interfaces", parameters, options);
  }

  /**
   * List sub-organizations
   *
   * List the ids of a parent organization's sub-organizations. With a filter, list only those that have the given name, a user with the given name, contact or credential, or a wallet account with the given address.
   */
  listSuborgs(
    parameters: Omit<GetSubOrgIdsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetSubOrgIdsResponse> {
    return this.query("/public/v1/query/list_suborgs", parameters, options);
  }

  /**
   * List users
   *
   * List all users of an organization, with their credentials and tags.
   */
  listUsers(
    parameters: Omit<GetUsersRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetUsersResponse> {
    return this.query("/public/v1/query/list_users", parameters, options);
  }

  /**
   * List user tags
   *
   * List all user tags of an organization.
   */
  listUserTags(
    parameters: Omit<ListUserTagsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<ListUserTagsResponse> {
    return this.query("/public/v1/query/list_user_tags", parameters, options);
  }

  /**
   * List verified sub-organizations
   *
   * List the ids of a parent organization's sub-organizations in which a user has proved, by a verification token, to have the given email address or phone number, or has registered, by a token, the social login that the given OIDC token proves. Without a filter, list those in which a user has proved any contact. list_suborgs finds contacts and social logins that were not proved too.
   */
  listVerifiedSuborgs(
    parameters: Omit<GetVerifiedSubOrgIdsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetVerifiedSubOrgIdsResponse> {
    return this.query("/public/v1/query/list_verified_suborgs", parameters, options);
  }

  /**
   * List wallet accounts
   *
   * List the accounts of a wallet, or of all wallets without `walletId`, oldest first. To get the next page, give the id of the page's last account as `after`. A page that is not full is the last one.
   */
  listWalletAccounts(
    parameters: Omit<GetWalletAccountsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetWalletAccountsResponse> {
    return this.query("/public/v1/query/list_wallet_accounts", parameters, options);
  }

  /**
   * List wallets
   *
   * List all wallets of an organization.
   */
  listWallets(
    parameters: Omit<GetWalletsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetWalletsResponse> {
    return this.query("/public/v1/query/list_wallets", parameters, options);
  }

  /**
   * List webhook deliveries
   *
   * List what was sent to the webhook endpoints of an organization and what waits, newest first. Deliveries that ended are kept for seven days.
   */
  listWebhookDeliveries(
    parameters: Omit<ListWebhookDeliveriesRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<ListWebhookDeliveriesResponse> {
    return this.query("/public/v1/query/list_webhook_deliveries", parameters, options);
  }

  /**
   * List webhook endpoints
   *
   * List the webhook endpoints of an organization, oldest first. Those of its parent get its events too and are not in the list.
   */
  listWebhookEndpoints(
    parameters: Omit<ListWebhookEndpointsRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<ListWebhookEndpointsResponse> {
    return this.query("/public/v1/query/list_webhook_endpoints", parameters, options);
  }

  /**
   * Log out everywhere
   *
   * End all sessions of a user, read-only ones included, and all API keys that expire. Credentials that do not expire stay.
   */
  logOutEverywhere(
    parameters: LogOutEverywhereIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_LOG_OUT_EVERYWHERE">,
  ): Promise<Submitted<LogOutEverywhereResult>> {
    return this.submit("/public/v1/submit/log_out_everywhere", parameters, options, activityVersions.logOutEverywhere);
  }

  /**
   * OAuth
   *
   * Start a session of the user whose social login the token proves, with a key that the service makes and returns, encrypted to your key. The token's `nonce` (or `tknonce`) must be the SHA-256 digest of the text of `targetPublicKey`, in lower-case hex. Social logins are for users of sub-organizations.
   */
  oauth(
    parameters: OauthIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_OAUTH">,
  ): Promise<Submitted<OauthResult>> {
    return this.submit("/public/v1/submit/oauth", parameters, options, activityVersions.oauth);
  }

  /**
   * Log in with an OIDC token
   *
   * Start a session of the user whose social login the token proves: the key that you made stamps requests as this user until it expires. The token's `nonce` (or `tknonce`) must be the SHA-256 digest of the text of `publicKey`, in lower-case hex. Social logins are for users of sub-organizations.
   */
  oauthLogin(
    parameters: OauthLoginIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_OAUTH_LOGIN">,
  ): Promise<Submitted<OauthLoginResult>> {
    return this.submit("/public/v1/submit/oauth_login", parameters, options, activityVersions.oauthLogin);
  }

  /**
   * OTP auth
   *
   * Exchange a code that init_otp_auth sent for a key of the user whom it was sent to. The key is encrypted to yours and expires. A code works once. Three wrong attempts lock it.
   */
  otpAuth(
    parameters: OtpAuthIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_OTP_AUTH">,
  ): Promise<Submitted<OtpAuthResult>> {
    return this.submit("/public/v1/submit/otp_auth", parameters, options, activityVersions.otpAuth);
  }

  /**
   * Login with OTP
   *
   * Start a session for the user who has the contact that a verification token proves. The key that the token names signs the request's public key (`clientSignature`), so nobody else can use the token. A user of the parent organization may do this for a sub-organization.
   */
  otpLogin<Type extends keyof OtpLoginVersions = "ACTIVITY_TYPE_OTP_LOGIN_V2">(
    parameters: OtpLoginVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<OtpLoginVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/otp_login", parameters, options, activityVersions.otpLogin);
  }

  /**
   * Recover a user
   *
   * Register a passkey of a user whom init_user_email_recovery sent a mail. The key in the mail stamps this request, for its own user alone, and counts once.
   */
  recoverUser(
    parameters: RecoverUserIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_RECOVER_USER">,
  ): Promise<Submitted<RecoverUserResult>> {
    return this.submit("/public/v1/submit/recover_user", parameters, options, activityVersions.recoverUser);
  }

  /**
   * Reject activity
   *
   * Reject an activity that needs consensus. A single rejection by a user whose vote counts ends it.
   */
  rejectActivity(
    parameters: RejectActivityIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_REJECT_ACTIVITY">,
  ): Promise<Decided> {
    return this.submit("/public/v1/submit/reject_activity", parameters, options, activityVersions.rejectActivity);
  }

  /**
   * Remove organization feature
   *
   * Switch a feature off in an organization. Only the root quorum can do this. The result lists all features that are left. A feature that is not set stays so.
   */
  removeOrganizationFeature(
    parameters: RemoveOrganizationFeatureIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE">,
  ): Promise<Submitted<RemoveOrganizationFeatureResult>> {
    return this.submit("/public/v1/submit/remove_organization_feature", parameters, options, activityVersions.removeOrganizationFeature);
  }

  /**
   * Resend webhook delivery
   *
   * Send a delivery of one of the organization's own endpoints again, with the same event id. list_webhook_deliveries lists them.
   */
  resendWebhookDelivery(
    parameters: ResendWebhookDeliveryIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY">,
  ): Promise<Submitted<ResendWebhookDeliveryResult>> {
    return this.submit("/public/v1/submit/resend_webhook_delivery", parameters, options, activityVersions.resendWebhookDelivery);
  }

  /**
   * Set organization feature
   *
   * Switch a feature on in an organization, or replace its value. Only the root quorum can do this. The result lists all features.
   */
  setOrganizationFeature(
    parameters: SetOrganizationFeatureIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE">,
  ): Promise<Submitted<SetOrganizationFeatureResult>> {
    return this.submit("/public/v1/submit/set_organization_feature", parameters, options, activityVersions.setOrganizationFeature);
  }

  /**
   * Sign raw payload
   *
   * Sign a raw payload with a private key or wallet account.
   */
  signRawPayload<Type extends keyof SignRawPayloadVersions = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2">(
    parameters: SignRawPayloadVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<SignRawPayloadVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/sign_raw_payload", parameters, options, activityVersions.signRawPayload);
  }

  /**
   * Sign raw payloads
   *
   * Sign several raw payloads with the same key and the same parameters.
   */
  signRawPayloads(
    parameters: SignRawPayloadsIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_SIGN_RAW_PAYLOADS">,
  ): Promise<Submitted<SignRawPayloadsResult>> {
    return this.submit("/public/v1/submit/sign_raw_payloads", parameters, options, activityVersions.signRawPayloads);
  }

  /**
   * Sign transaction
   *
   * Sign a transaction with a private key or wallet account. A transaction that does not decode completely is refused.
   */
  signTransaction<Type extends keyof SignTransactionVersions = "ACTIVITY_TYPE_SIGN_TRANSACTION_V2">(
    parameters: SignTransactionVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<SignTransactionVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/sign_transaction", parameters, options, activityVersions.signTransaction);
  }

  /**
   * Simulate activity
   *
   * Find out how an activity would be decided, by which policies and why, and whose approvals it would still need. Nothing is written, and no key is used. Each user counts as approving with their first API key.
   */
  simulateActivity(
    parameters: Omit<SimulateActivityRequest, "organizationId">,
    options?: QueryOptions,
  ): Promise<SimulateActivityResponse> {
    return this.query("/public/v1/query/simulate_activity", parameters, options);
  }

  /**
   * Log in with a stamp
   *
   * Start a session: a key that you made stamps requests as you until it expires. A key that nobody has registered can stamp this request too, in `X-Stamp-Attested`, with a verification token or an OIDC token that was made for it. With the id of a parent organization and a credential of exactly one of its sub-organizations, the session is for that sub-organization.
   */
  stampLogin(
    parameters: StampLoginIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_STAMP_LOGIN">,
  ): Promise<Submitted<StampLoginResult>> {
    return this.submit("/public/v1/submit/stamp_login", parameters, options, activityVersions.stampLogin);
  }

  /**
   * Update organization name
   *
   * Give an organization another name. Only the root quorum can do this.
   */
  updateOrganizationName(
    parameters: UpdateOrganizationNameIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME">,
  ): Promise<Submitted<UpdateOrganizationNameResult>> {
    return this.submit("/public/v1/submit/update_organization_name", parameters, options, activityVersions.updateOrganizationName);
  }

  /**
   * Update policy
   *
   * Change a policy. Only the given fields change. An empty condition, consensus or time removes that clause.
   */
  updatePolicy<Type extends keyof UpdatePolicyVersions = "ACTIVITY_TYPE_UPDATE_POLICY_V2">(
    parameters: UpdatePolicyVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<UpdatePolicyVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/update_policy", parameters, options, activityVersions.updatePolicy);
  }

  /**
   * Update private key tag
   *
   * Rename a private key tag, add it to private keys and remove it from others: all of it or nothing.
   */
  updatePrivateKeyTag(
    parameters: UpdatePrivateKeyTagIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG">,
  ): Promise<Submitted<UpdatePrivateKeyTagResult>> {
    return this.submit("/public/v1/submit/update_private_key_tag", parameters, options, activityVersions.updatePrivateKeyTag);
  }

  /**
   * Update root quorum
   *
   * Set the threshold and members of the root quorum. Only the root quorum can do this.
   */
  updateRootQuorum(
    parameters: UpdateRootQuorumIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_ROOT_QUORUM">,
  ): Promise<Submitted<UpdateRootQuorumResult>> {
    return this.submit("/public/v1/submit/update_root_quorum", parameters, options, activityVersions.updateRootQuorum);
  }

  /**
   * Update user
   *
   * Change the name, the contacts or the tags of a user. What you leave out stays. `userTagIds` replaces all of the user's tags. A new contact is not verified; update_user_email and update_user_phone_number take a proof. Only the root quorum can change the contacts of a root user.
   */
  updateUser(
    parameters: UpdateUserIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_USER">,
  ): Promise<Submitted<UpdateUserResult>> {
    return this.submit("/public/v1/submit/update_user", parameters, options, activityVersions.updateUser);
  }

  /**
   * Update user email
   *
   * Change the email address of a user, or remove it with an empty one. With a verification token of this address, it is verified. Only the root quorum can change the address of a root user.
   */
  updateUserEmail(
    parameters: UpdateUserEmailIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_USER_EMAIL">,
  ): Promise<Submitted<UpdateUserEmailResult>> {
    return this.submit("/public/v1/submit/update_user_email", parameters, options, activityVersions.updateUserEmail);
  }

  /**
   * Update user name
   *
   * Give a user another name.
   */
  updateUserName(
    parameters: UpdateUserNameIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_USER_NAME">,
  ): Promise<Submitted<UpdateUserNameResult>> {
    return this.submit("/public/v1/submit/update_user_name", parameters, options, activityVersions.updateUserName);
  }

  /**
   * Update user phone number
   *
   * Change the phone number of a user, or remove it with an empty one. With a verification token of this number, it is verified. Only the root quorum can change the number of a root user.
   */
  updateUserPhoneNumber(
    parameters: UpdateUserPhoneNumberIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER">,
  ): Promise<Submitted<UpdateUserPhoneNumberResult>> {
    return this.submit("/public/v1/submit/update_user_phone_number", parameters, options, activityVersions.updateUserPhoneNumber);
  }

  /**
   * Update user tag
   *
   * Rename a user tag, add it to users and remove it from others: all of it or nothing. Policies may give permissions by tag.
   */
  updateUserTag(
    parameters: UpdateUserTagIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_USER_TAG">,
  ): Promise<Submitted<UpdateUserTagResult>> {
    return this.submit("/public/v1/submit/update_user_tag", parameters, options, activityVersions.updateUserTag);
  }

  /**
   * Update wallet
   *
   * Give a wallet another name. Its accounts and keys do not change.
   */
  updateWallet(
    parameters: UpdateWalletIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_WALLET">,
  ): Promise<Submitted<UpdateWalletResult>> {
    return this.submit("/public/v1/submit/update_wallet", parameters, options, activityVersions.updateWallet);
  }

  /**
   * Update webhook endpoint
   *
   * Change a webhook endpoint. Only the given fields change. Events that wait are sent to the new URL. An endpoint that is not active gets nothing, and what waited for it is cancelled.
   */
  updateWebhookEndpoint(
    parameters: UpdateWebhookEndpointIntent,
    options?: SubmitOptions<"ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT">,
  ): Promise<Submitted<UpdateWebhookEndpointResult>> {
    return this.submit("/public/v1/submit/update_webhook_endpoint", parameters, options, activityVersions.updateWebhookEndpoint);
  }

  /**
   * Verify generic OTP
   *
   * Exchange a code that init_otp sent for a verification token. A code works once. Three wrong attempts lock it. A token of a parent organization counts in all of its sub-organizations, any other only in its own organization.
   */
  verifyOtp<Type extends keyof VerifyOtpVersions = "ACTIVITY_TYPE_VERIFY_OTP_V2">(
    parameters: VerifyOtpVersions[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Submitted<VerifyOtpVersions[Type]["result"]>> {
    return this.submit("/public/v1/submit/verify_otp", parameters, options, activityVersions.verifyOtp);
  }

  /**
   * Who am I?
   *
   * Get the user and organization that the credential belongs to. With the id of a parent organization and a credential of exactly one of its sub-organizations, the answer is that sub-organization.
   */
  whoami(
    parameters: Omit<GetWhoamiRequest, "organizationId"> = {},
    options?: QueryOptions,
  ): Promise<GetWhoamiResponse> {
    return this.query("/public/v1/query/whoami", parameters, options);
  }
}
