// GENERATED from contract/openapi.json by packages/sdk/src/generate.ts. Do not edit.

export type AccessType = "ACCESS_TYPE_WEB" | "ACCESS_TYPE_API" | "ACCESS_TYPE_ALL";

export type Activity = {
  id: string;
  organizationId: string;
  status: ActivityStatus;
  type: ActivityType;
  intent: Intent;
  result: Result;
  votes: Vote[];
  fingerprint: string;
  canApprove: boolean;
  canReject: boolean;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  failure?: Status;
  appProofs?: AppProof[];
};

export type ActivityResponse = {
  activity: Activity;
};

export type ActivityStatus =
  | "ACTIVITY_STATUS_CREATED"
  | "ACTIVITY_STATUS_PENDING"
  | "ACTIVITY_STATUS_COMPLETED"
  | "ACTIVITY_STATUS_FAILED"
  | "ACTIVITY_STATUS_CONSENSUS_NEEDED"
  | "ACTIVITY_STATUS_REJECTED"
  | "ACTIVITY_STATUS_AUTHENTICATORS_NEEDED";

export type ActivityType =
  | "ACTIVITY_TYPE_CREATE_API_KEYS"
  | "ACTIVITY_TYPE_CREATE_USERS"
  | "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS"
  | "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD"
  | "ACTIVITY_TYPE_CREATE_INVITATIONS"
  | "ACTIVITY_TYPE_ACCEPT_INVITATION"
  | "ACTIVITY_TYPE_CREATE_POLICY"
  | "ACTIVITY_TYPE_DISABLE_PRIVATE_KEY"
  | "ACTIVITY_TYPE_DELETE_USERS"
  | "ACTIVITY_TYPE_DELETE_API_KEYS"
  | "ACTIVITY_TYPE_DELETE_INVITATION"
  | "ACTIVITY_TYPE_DELETE_ORGANIZATION"
  | "ACTIVITY_TYPE_DELETE_POLICY"
  | "ACTIVITY_TYPE_CREATE_USER_TAG"
  | "ACTIVITY_TYPE_DELETE_USER_TAGS"
  | "ACTIVITY_TYPE_CREATE_ORGANIZATION"
  | "ACTIVITY_TYPE_SIGN_TRANSACTION"
  | "ACTIVITY_TYPE_APPROVE_ACTIVITY"
  | "ACTIVITY_TYPE_REJECT_ACTIVITY"
  | "ACTIVITY_TYPE_DELETE_AUTHENTICATORS"
  | "ACTIVITY_TYPE_CREATE_AUTHENTICATORS"
  | "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG"
  | "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS"
  | "ACTIVITY_TYPE_SET_PAYMENT_METHOD"
  | "ACTIVITY_TYPE_ACTIVATE_BILLING_TIER"
  | "ACTIVITY_TYPE_DELETE_PAYMENT_METHOD"
  | "ACTIVITY_TYPE_CREATE_POLICY_V2"
  | "ACTIVITY_TYPE_CREATE_POLICY_V3"
  | "ACTIVITY_TYPE_CREATE_API_ONLY_USERS"
  | "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM"
  | "ACTIVITY_TYPE_UPDATE_USER_TAG"
  | "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG"
  | "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
  | "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2"
  | "ACTIVITY_TYPE_CREATE_USERS_V2"
  | "ACTIVITY_TYPE_ACCEPT_INVITATION_V2"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2"
  | "ACTIVITY_TYPE_UPDATE_ALLOWED_ORIGINS"
  | "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"
  | "ACTIVITY_TYPE_UPDATE_USER"
  | "ACTIVITY_TYPE_UPDATE_POLICY"
  | "ACTIVITY_TYPE_SET_PAYMENT_METHOD_V2"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3"
  | "ACTIVITY_TYPE_CREATE_WALLET"
  | "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"
  | "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY"
  | "ACTIVITY_TYPE_RECOVER_USER"
  | "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE"
  | "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE"
  | "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
  | "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"
  | "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY"
  | "ACTIVITY_TYPE_EXPORT_WALLET"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4"
  | "ACTIVITY_TYPE_EMAIL_AUTH"
  | "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT"
  | "ACTIVITY_TYPE_INIT_IMPORT_WALLET"
  | "ACTIVITY_TYPE_IMPORT_WALLET"
  | "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY"
  | "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY"
  | "ACTIVITY_TYPE_CREATE_POLICIES"
  | "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"
  | "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION"
  | "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS"
  | "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5"
  | "ACTIVITY_TYPE_OAUTH"
  | "ACTIVITY_TYPE_CREATE_API_KEYS_V2"
  | "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION"
  | "ACTIVITY_TYPE_EMAIL_AUTH_V2"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6"
  | "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS"
  | "ACTIVITY_TYPE_DELETE_WALLETS"
  | "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2"
  | "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"
  | "ACTIVITY_TYPE_INIT_OTP_AUTH"
  | "ACTIVITY_TYPE_OTP_AUTH"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
  | "ACTIVITY_TYPE_UPDATE_WALLET"
  | "ACTIVITY_TYPE_UPDATE_POLICY_V2"
  | "ACTIVITY_TYPE_CREATE_USERS_V3"
  | "ACTIVITY_TYPE_INIT_OTP_AUTH_V2"
  | "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8"
  | "ACTIVITY_TYPE_CREATE_USERS_V4"
  | "ACTIVITY_TYPE_EMAIL_AUTH_V3"
  | "ACTIVITY_TYPE_INIT_OTP_AUTH_V3"
  | "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2";

export type Address = {
  format?: AddressFormat;
  address?: string;
};

export type AddressFormat =
  | "ADDRESS_FORMAT_UNCOMPRESSED"
  | "ADDRESS_FORMAT_COMPRESSED"
  | "ADDRESS_FORMAT_ETHEREUM"
  | "ADDRESS_FORMAT_SOLANA"
  | "ADDRESS_FORMAT_COSMOS"
  | "ADDRESS_FORMAT_TRON"
  | "ADDRESS_FORMAT_SUI"
  | "ADDRESS_FORMAT_APTOS"
  | "ADDRESS_FORMAT_BITCOIN_MAINNET_P2PKH"
  | "ADDRESS_FORMAT_BITCOIN_MAINNET_P2SH"
  | "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH"
  | "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WSH"
  | "ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR"
  | "ADDRESS_FORMAT_BITCOIN_TESTNET_P2PKH"
  | "ADDRESS_FORMAT_BITCOIN_TESTNET_P2SH"
  | "ADDRESS_FORMAT_BITCOIN_TESTNET_P2WPKH"
  | "ADDRESS_FORMAT_BITCOIN_TESTNET_P2WSH"
  | "ADDRESS_FORMAT_BITCOIN_TESTNET_P2TR"
  | "ADDRESS_FORMAT_BITCOIN_SIGNET_P2PKH"
  | "ADDRESS_FORMAT_BITCOIN_SIGNET_P2SH"
  | "ADDRESS_FORMAT_BITCOIN_SIGNET_P2WPKH"
  | "ADDRESS_FORMAT_BITCOIN_SIGNET_P2WSH"
  | "ADDRESS_FORMAT_BITCOIN_SIGNET_P2TR"
  | "ADDRESS_FORMAT_BITCOIN_REGTEST_P2PKH"
  | "ADDRESS_FORMAT_BITCOIN_REGTEST_P2SH"
  | "ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH"
  | "ADDRESS_FORMAT_BITCOIN_REGTEST_P2WSH"
  | "ADDRESS_FORMAT_BITCOIN_REGTEST_P2TR"
  | "ADDRESS_FORMAT_SEI"
  | "ADDRESS_FORMAT_XLM"
  | "ADDRESS_FORMAT_DOGE_MAINNET"
  | "ADDRESS_FORMAT_DOGE_TESTNET"
  | "ADDRESS_FORMAT_TON_V3R2"
  | "ADDRESS_FORMAT_TON_V4R2"
  | "ADDRESS_FORMAT_XRP"
  | "ADDRESS_FORMAT_TON_V5R1"
  | "ADDRESS_FORMAT_SPARK_MAINNET"
  | "ADDRESS_FORMAT_SPARK_REGTEST";

export type Any = {
  "@type"?: string;
};

export type ApiKey = {
  credential: Credential;
  apiKeyId: string;
  apiKeyName: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  expirationSeconds?: string;
};

export type ApiKeyCurve = "API_KEY_CURVE_P256" | "API_KEY_CURVE_SECP256K1" | "API_KEY_CURVE_ED25519";

export type ApiKeyParams = {
  apiKeyName: string;
  publicKey: string;
  expirationSeconds?: string;
};

export type ApiKeyParamsV2 = {
  apiKeyName: string;
  publicKey: string;
  curveType: ApiKeyCurve;
  expirationSeconds?: string;
};

export type AppProof = {
  scheme: SignatureScheme;
  publicKey: string;
  proofPayload: string;
  signature: string;
};

export type ApproveActivityIntent = {
  fingerprint: string;
};

export type Attestation = {
  credentialId: string;
  clientDataJson: string;
  attestationObject: string;
  transports: AuthenticatorTransport[];
};

export type AuthenticationMethod = {
  type: AuthenticationType;
  id?: string;
};

export type AuthenticationType =
  | "AUTHENTICATION_TYPE_EMAIL_OTP"
  | "AUTHENTICATION_TYPE_SMS_OTP"
  | "AUTHENTICATION_TYPE_PASSKEY"
  | "AUTHENTICATION_TYPE_API_KEY"
  | "AUTHENTICATION_TYPE_OAUTH"
  | "AUTHENTICATION_TYPE_SESSION";

export type Authenticator = {
  transports: AuthenticatorTransport[];
  attestationType: string;
  aaguid: string;
  credentialId: string;
  model: string;
  credential: Credential;
  authenticatorId: string;
  authenticatorName: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

export type AuthenticatorAttestationResponse = {
  clientDataJson: string;
  attestationObject: string;
  transports?: AuthenticatorTransport[];
  authenticatorAttachment?: "cross-platform" | "platform";
};

export type AuthenticatorParams = {
  authenticatorName: string;
  userId: string;
  attestation: PublicKeyCredentialWithAttestation;
  challenge: string;
};

export type AuthenticatorParamsV2 = {
  authenticatorName: string;
  challenge: string;
  attestation: Attestation;
};

export type AuthenticatorTransport =
  | "AUTHENTICATOR_TRANSPORT_BLE"
  | "AUTHENTICATOR_TRANSPORT_INTERNAL"
  | "AUTHENTICATOR_TRANSPORT_NFC"
  | "AUTHENTICATOR_TRANSPORT_USB"
  | "AUTHENTICATOR_TRANSPORT_HYBRID";

export type ClientSignature = {
  publicKey: string;
  scheme: ClientSignatureScheme;
  message: string;
  signature: string;
};

export type ClientSignatureScheme = "CLIENT_SIGNATURE_SCHEME_API_P256";

export type Config = {
  features?: Feature[];
  quorum?: Quorum;
};

export type CreateApiKeysIntent = {
  apiKeys: ApiKeyParams[];
  userId: string;
};

export type CreateApiKeysIntentV2 = {
  apiKeys: ApiKeyParamsV2[];
  userId: string;
};

export type CreateApiKeysResult = {
  apiKeyIds: string[];
};

export type CreatePrivateKeysIntent = {
  privateKeys: PrivateKeyParams[];
};

export type CreatePrivateKeysIntentV2 = {
  privateKeys: PrivateKeyParams[];
};

export type CreatePrivateKeysResult = {
  privateKeyIds: string[];
};

export type CreatePrivateKeysResultV2 = {
  privateKeys: PrivateKeyResult[];
};

export type CreateSubOrganizationIntent = {
  name: string;
  rootAuthenticator: AuthenticatorParamsV2;
};

export type CreateSubOrganizationIntentV2 = {
  subOrganizationName: string;
  rootUsers: RootUserParams[];
  rootQuorumThreshold: number;
};

export type CreateSubOrganizationIntentV3 = {
  subOrganizationName: string;
  rootUsers: RootUserParams[];
  rootQuorumThreshold: number;
  privateKeys: PrivateKeyParams[];
};

export type CreateSubOrganizationIntentV4 = {
  subOrganizationName: string;
  rootUsers: RootUserParams[];
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  disableEmailRecovery?: boolean;
  disableEmailAuth?: boolean;
};

export type CreateSubOrganizationIntentV5 = {
  subOrganizationName: string;
  rootUsers: RootUserParamsV2[];
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  disableEmailRecovery?: boolean;
  disableEmailAuth?: boolean;
};

export type CreateSubOrganizationIntentV6 = {
  subOrganizationName: string;
  rootUsers: RootUserParamsV3[];
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  disableEmailRecovery?: boolean;
  disableEmailAuth?: boolean;
};

export type CreateSubOrganizationIntentV7 = {
  subOrganizationName: string;
  rootUsers: RootUserParamsV4[];
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  disableEmailRecovery?: boolean;
  disableEmailAuth?: boolean;
  disableSmsAuth?: boolean;
  disableOtpEmailAuth?: boolean;
  verificationToken?: string;
  clientSignature?: ClientSignature;
};

export type CreateSubOrganizationIntentV8 = {
  subOrganizationName: string;
  rootUsers: RootUserParamsV5[];
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  disableEmailRecovery?: boolean;
  disableEmailAuth?: boolean;
  disableSmsAuth?: boolean;
  disableOtpEmailAuth?: boolean;
  verificationToken?: string;
  clientSignature?: ClientSignature;
};

export type CreateSubOrganizationResult = {
  subOrganizationId: string;
  rootUserIds?: string[];
};

export type CreateSubOrganizationResultV3 = {
  subOrganizationId: string;
  privateKeys: PrivateKeyResult[];
  rootUserIds?: string[];
};

export type CreateSubOrganizationResultV4 = {
  subOrganizationId: string;
  wallet?: WalletResult;
  rootUserIds?: string[];
};

export type CreateSubOrganizationResultV5 = {
  subOrganizationId: string;
  wallet?: WalletResult;
  rootUserIds?: string[];
};

export type CreateSubOrganizationResultV6 = {
  subOrganizationId: string;
  wallet?: WalletResult;
  rootUserIds?: string[];
};

export type CreateSubOrganizationResultV7 = {
  subOrganizationId: string;
  wallet?: WalletResult;
  rootUserIds?: string[];
};

export type CreateSubOrganizationResultV8 = {
  subOrganizationId: string;
  wallet?: WalletResult;
  rootUserIds?: string[];
};

export type CreateUsersIntent = {
  users: UserParams[];
};

export type CreateUsersIntentV2 = {
  users: UserParamsV2[];
};

export type CreateUsersIntentV3 = {
  users: UserParamsV3[];
};

export type CreateUsersIntentV4 = {
  users: UserParamsV4[];
};

export type CreateUsersResult = {
  userIds: string[];
};

export type CreateUserTagIntent = {
  userTagName: string;
  userIds: string[];
};

export type CreateUserTagResult = {
  userTagId: string;
  userIds: string[];
};

export type CreateWalletAccountsIntent = {
  walletId: string;
  accounts: WalletAccountParams[];
  persist?: boolean;
};

export type CreateWalletAccountsResult = {
  addresses: string[];
};

export type CreateWalletIntent = {
  walletName: string;
  accounts: WalletAccountParams[];
  mnemonicLength?: number;
};

export type CreateWalletResult = {
  walletId: string;
  addresses: string[];
};

export type Credential = {
  publicKey: string;
  type: CredentialType;
  sessionProfileId?: string;
};

export type CredentialType =
  | "CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR"
  | "CREDENTIAL_TYPE_API_KEY_P256"
  | "CREDENTIAL_TYPE_RECOVER_USER_KEY_P256"
  | "CREDENTIAL_TYPE_API_KEY_SECP256K1"
  | "CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256"
  | "CREDENTIAL_TYPE_API_KEY_ED25519"
  | "CREDENTIAL_TYPE_OTP_AUTH_KEY_P256"
  | "CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256"
  | "CREDENTIAL_TYPE_OAUTH_KEY_P256"
  | "CREDENTIAL_TYPE_LOGIN";

export type CredPropsAuthenticationExtensionsClientOutputs = {
  rk: boolean;
};

export type Curve = "CURVE_SECP256K1" | "CURVE_ED25519" | "CURVE_P256";

export type DeleteApiKeysIntent = {
  userId: string;
  apiKeyIds: string[];
};

export type DeleteApiKeysResult = {
  apiKeyIds: string[];
};

export type Feature = {
  name?: FeatureName;
  value?: string;
};

export type FeatureName =
  | "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY"
  | "FEATURE_NAME_WEBAUTHN_ORIGINS"
  | "FEATURE_NAME_EMAIL_AUTH"
  | "FEATURE_NAME_EMAIL_RECOVERY"
  | "FEATURE_NAME_WEBHOOK"
  | "FEATURE_NAME_SMS_AUTH"
  | "FEATURE_NAME_OTP_EMAIL_AUTH"
  | "FEATURE_NAME_AUTH_PROXY"
  | "FEATURE_NAME_SOLANA_RENT_PREFUND_ENABLED"
  | "FEATURE_NAME_SWAP_CONFIG"
  | "FEATURE_NAME_EARN_CONFIG";

export type GetActivitiesRequest = {
  organizationId: string;
  filterByStatus?: ActivityStatus[];
  paginationOptions?: Pagination;
  filterByType?: ActivityType[];
};

export type GetActivitiesResponse = {
  activities: Activity[];
};

export type GetActivityRequest = {
  organizationId: string;
  activityId: string;
};

export type GetApiKeyRequest = {
  organizationId: string;
  apiKeyId: string;
};

export type GetApiKeyResponse = {
  apiKey: ApiKey;
};

export type GetApiKeysRequest = {
  organizationId: string;
  userId?: string;
};

export type GetApiKeysResponse = {
  apiKeys: ApiKey[];
};

export type GetOrganizationConfigsRequest = {
  organizationId: string;
};

export type GetOrganizationConfigsResponse = {
  configs: Config;
};

export type GetPrivateKeyRequest = {
  organizationId: string;
  privateKeyId: string;
};

export type GetPrivateKeyResponse = {
  privateKey: PrivateKey;
};

export type GetPrivateKeysRequest = {
  organizationId: string;
};

export type GetPrivateKeysResponse = {
  privateKeys: PrivateKey[];
};

export type GetSubOrgIdsRequest = {
  organizationId: string;
  filterType?: string;
  filterValue?: string;
  paginationOptions?: Pagination;
};

export type GetSubOrgIdsResponse = {
  organizationIds: string[];
};

export type GetUserRequest = {
  organizationId: string;
  userId: string;
};

export type GetUserResponse = {
  user: User;
};

export type GetUsersRequest = {
  organizationId: string;
};

export type GetUsersResponse = {
  users: User[];
};

export type GetWalletAccountRequest = {
  organizationId: string;
  walletId: string;
  address?: string;
  path?: string;
};

export type GetWalletAccountResponse = {
  account: WalletAccount;
};

export type GetWalletAccountsRequest = {
  organizationId: string;
  walletId?: string;
  paginationOptions?: Pagination;
  includeWalletDetails?: boolean;
};

export type GetWalletAccountsResponse = {
  accounts: WalletAccount[];
};

export type GetWalletRequest = {
  organizationId: string;
  walletId: string;
};

export type GetWalletResponse = {
  wallet: Wallet;
};

export type GetWalletsRequest = {
  organizationId: string;
};

export type GetWalletsResponse = {
  wallets: Wallet[];
};

export type GetWhoamiRequest = {
  organizationId: string;
};

export type GetWhoamiResponse = {
  organizationId: string;
  organizationName: string;
  userId: string;
  username: string;
};

export type HashFunction =
  | "HASH_FUNCTION_NO_OP"
  | "HASH_FUNCTION_SHA256"
  | "HASH_FUNCTION_KECCAK256"
  | "HASH_FUNCTION_NOT_APPLICABLE";

export type Intent = Record<string, unknown>;

export type MfaPolicy = {
  mfaPolicyId: string;
  mfaPolicyName: string;
  condition: string;
  requiredAuthenticationMethods: RequiredAuthenticationMethod[];
  order: number;
  notes?: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

export type OauthProvider = {
  providerId: string;
  providerName: string;
  issuer: string;
  audience: string;
  subject: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
};

export type OauthProviderParams = {
  providerName: string;
  oidcToken: string;
};

export type OauthProviderParamsV2 = {
  providerName: string;
  oidcToken?: string;
  oidcClaims?: OidcClaims;
};

export type OidcClaims = {
  iss: string;
  sub: string;
  aud: string;
};

export type Pagination = {
  limit?: string;
  before?: string;
  after?: string;
};

export type PathFormat = "PATH_FORMAT_BIP32";

export type PayloadEncoding =
  | "PAYLOAD_ENCODING_HEXADECIMAL"
  | "PAYLOAD_ENCODING_TEXT_UTF8"
  | "PAYLOAD_ENCODING_EIP712"
  | "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION";

export type PrivateKey = {
  privateKeyId: string;
  publicKey: string;
  privateKeyName: string;
  curve: Curve;
  addresses: Address[];
  privateKeyTags: string[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
  exported: boolean;
  imported: boolean;
};

export type PrivateKeyParams = {
  privateKeyName: string;
  curve: Curve;
  privateKeyTags: string[];
  addressFormats: AddressFormat[];
};

export type PrivateKeyResult = {
  privateKeyId?: string;
  addresses?: Address[];
};

export type PublicKeyCredentialWithAttestation = {
  id: string;
  type: "public-key";
  rawId: string;
  authenticatorAttachment?: "cross-platform" | "platform";
  response: AuthenticatorAttestationResponse;
  clientExtensionResults: SimpleClientExtensionResults;
};

export type Quorum = {
  threshold: number;
  userIds: string[];
};

export type RejectActivityIntent = {
  fingerprint: string;
};

export type RequiredAuthenticationMethod = {
  any: AuthenticationMethod[];
};

export type Result = Record<string, unknown>;

export type RootUserParams = {
  userName: string;
  userEmail?: string;
  apiKeys: ApiKeyParams[];
  authenticators: AuthenticatorParamsV2[];
};

export type RootUserParamsV2 = {
  userName: string;
  userEmail?: string;
  apiKeys: ApiKeyParams[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParams[];
};

export type RootUserParamsV3 = {
  userName: string;
  userEmail?: string;
  apiKeys: ApiKeyParamsV2[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParams[];
};

export type RootUserParamsV4 = {
  userName: string;
  userEmail?: string;
  userPhoneNumber?: string;
  apiKeys: ApiKeyParamsV2[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParams[];
};

export type RootUserParamsV5 = {
  userName: string;
  userEmail?: string;
  userPhoneNumber?: string;
  apiKeys: ApiKeyParamsV2[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParamsV2[];
};

export type SignatureScheme = "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";

export type SignRawPayloadIntent = {
  privateKeyId: string;
  payload: string;
  encoding: PayloadEncoding;
  hashFunction: HashFunction;
};

export type SignRawPayloadIntentV2 = {
  signWith: string;
  payload: string;
  encoding: PayloadEncoding;
  hashFunction: HashFunction;
};

export type SignRawPayloadResult = {
  r: string;
  s: string;
  v: string;
};

export type SignRawPayloadsIntent = {
  signWith: string;
  payloads: string[];
  encoding: PayloadEncoding;
  hashFunction: HashFunction;
};

export type SignRawPayloadsResult = {
  signatures?: SignRawPayloadResult[];
};

export type SimpleClientExtensionResults = {
  appid?: boolean;
  appidExclude?: boolean;
  credProps?: CredPropsAuthenticationExtensionsClientOutputs;
};

export type Status = {
  code?: number;
  message?: string;
  details?: Any[];
};

export type Timestamp = {
  seconds: string;
  nanos: string;
};

export type UpdateRootQuorumIntent = {
  threshold: number;
  userIds: string[];
};

export type UpdateRootQuorumResult = Record<never, never>;

export type User = {
  userId: string;
  userName: string;
  userEmail?: string;
  userPhoneNumber?: string;
  authenticators: Authenticator[];
  apiKeys: ApiKey[];
  userTags: string[];
  oauthProviders: OauthProvider[];
  createdAt: Timestamp;
  updatedAt: Timestamp;
  mfaPolicies: MfaPolicy[];
};

export type UserParams = {
  userName: string;
  userEmail?: string;
  accessType: AccessType;
  apiKeys: ApiKeyParams[];
  authenticators: AuthenticatorParams[];
  userTags: string[];
};

export type UserParamsV2 = {
  userName: string;
  userEmail?: string;
  apiKeys: ApiKeyParams[];
  authenticators: AuthenticatorParamsV2[];
  userTags: string[];
};

export type UserParamsV3 = {
  userName: string;
  userEmail?: string;
  userPhoneNumber?: string;
  apiKeys: ApiKeyParamsV2[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParams[];
  userTags: string[];
};

export type UserParamsV4 = {
  userName: string;
  userEmail?: string;
  userPhoneNumber?: string;
  apiKeys: ApiKeyParamsV2[];
  authenticators: AuthenticatorParamsV2[];
  oauthProviders: OauthProviderParamsV2[];
  userTags: string[];
};

export type Vote = {
  id: string;
  userId: string;
  user: User;
  activityId: string;
  selection: "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED";
  message: string;
  publicKey: string;
  signature: string;
  scheme: string;
  createdAt: Timestamp;
};

export type Wallet = {
  walletId: string;
  walletName: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  exported: boolean;
  imported: boolean;
};

export type WalletAccount = {
  walletAccountId: string;
  organizationId: string;
  walletId: string;
  curve: Curve;
  pathFormat: PathFormat;
  path: string;
  addressFormat: AddressFormat;
  address: string;
  createdAt: Timestamp;
  updatedAt: Timestamp;
  publicKey?: string;
  walletDetails?: Wallet;
  name?: string;
  caip2Prefix?: string;
};

export type WalletAccountParams = {
  curve: Curve;
  pathFormat: PathFormat;
  path: string;
  addressFormat: AddressFormat;
  name?: string;
};

export type WalletParams = {
  walletName: string;
  accounts: WalletAccountParams[];
  mnemonicLength?: number;
};

export type WalletResult = {
  walletId: string;
  addresses: string[];
};
