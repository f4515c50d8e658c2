// GENERATED from contract/openapi.json by packages/sdk/scripts/generate.ts. Do not edit.

/** Parameters of `ACTIVITY_TYPE_ACCEPT_INVITATION`. */
export type AcceptInvitationIntent = {
  /** Unique identifier of the invitation. A UUID. */
  invitationId: string;
  /** The id that the new user will have, from the invitation's message. A UUID. */
  userId: string;
  /**
   * Proof that you have the token in the invitation's message, which must never be sent itself:
   * HMAC-SHA-256 in base64url without padding, with the token's 16 bytes as the key, over the text
   * `keyhearth.invitation.v1|<organizationId>|<invitationId>|<attestationObject>`.
   * `attestationObject` is the text in this request.
   */
  tokenProof: string;
  /** The passkey that stamps this request, registered with a random challenge. */
  authenticator: AuthenticatorParams;
};

/** Parameters of `ACTIVITY_TYPE_ACCEPT_INVITATION_V2`. */
export type AcceptInvitationIntentV2 = {
  /** Unique identifier of the invitation. A UUID. */
  invitationId: string;
  /** The id that the new user will have, from the invitation's message. A UUID. */
  userId: string;
  /**
   * Proof that you have the token in the invitation's message, which must never be sent itself:
   * HMAC-SHA-256 in base64url without padding, with the token's 16 bytes as the key, over the text
   * `keyhearth.invitation.v1|<organizationId>|<invitationId>|<attestationObject>`.
   * `attestationObject` is the text in this request.
   */
  tokenProof: string;
  /** The passkey that stamps this request, registered with a random challenge. */
  authenticator: AuthenticatorParamsV2;
};

/** Request of “Accept invitation”. */
export type AcceptInvitationRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_ACCEPT_INVITATION" | "ACTIVITY_TYPE_ACCEPT_INVITATION_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: AcceptInvitationIntent | AcceptInvitationIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Accept invitation”. */
export type AcceptInvitationResult = {
  /** Unique identifier of the invitation. A UUID. */
  invitationId: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** How the user was meant to sign in. Kept for old clients; it has no effect. */
export type AccessType = "ACCESS_TYPE_WEB" | "ACCESS_TYPE_API" | "ACCESS_TYPE_ALL";

/** A request to change something or to use a key, and its outcome. */
export type Activity = {
  /** Unique identifier of the activity. */
  id: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  status: ActivityStatus;
  type: ActivityType;
  intent: Intent;
  result: Result;
  /** Votes in the order they were given. The first one started the activity. */
  votes: Vote[];
  /** Signed statements about the outcome, if the request set `generateAppProofs`. */
  appProofs?: AppProof[];
  /** Fingerprint of the activity: `sha256:` and the SHA-256 of its request body in hex. */
  fingerprint: string;
  /** Whether an approval by the requesting user would count now. */
  canApprove: boolean;
  /** Whether the requesting user could reject the activity now. */
  canReject: boolean;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /**
   * Why the activity failed; null if it did not fail. While it waits for votes: why none can decide
   * it any more, such as when the user who started it was deleted.
   */
  failure?: Status | null;
  /**
   * For a change of policies: what to look at before approving it, at most 50 entries. Absent if
   * there is nothing. The API computes the warnings for each answer; in a long list, for the first
   * activities only. They do not affect any decision.
   */
  warnings?: PolicyWarning[];
  /**
   * Signed statements about the addresses in `result`, if the query set `includeAddressProofs`. A
   * key that was deleted has none.
   */
  addressProofs?: AppProof[];
};

/** The activity in its current state. */
export type ActivityResponse = {
  activity: Activity;
};

/** Status of an activity. */
export type ActivityStatus =
  | "ACTIVITY_STATUS_CREATED"
  | "ACTIVITY_STATUS_PENDING"
  | "ACTIVITY_STATUS_COMPLETED"
  | "ACTIVITY_STATUS_FAILED"
  | "ACTIVITY_STATUS_CONSENSUS_NEEDED"
  | "ACTIVITY_STATUS_REJECTED";

/** Type of an activity: what it does, and in which version of the contract. */
export type ActivityType =
  | "ACTIVITY_TYPE_ACCEPT_INVITATION"
  | "ACTIVITY_TYPE_ACCEPT_INVITATION_V2"
  | "ACTIVITY_TYPE_ACTIVATE_BILLING_TIER"
  | "ACTIVITY_TYPE_APPROVE_ACTIVITY"
  | "ACTIVITY_TYPE_CREATE_API_KEYS"
  | "ACTIVITY_TYPE_CREATE_API_KEYS_V2"
  | "ACTIVITY_TYPE_CREATE_API_ONLY_USERS"
  | "ACTIVITY_TYPE_CREATE_AUTHENTICATORS"
  | "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
  | "ACTIVITY_TYPE_CREATE_INVITATIONS"
  | "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL"
  | "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS"
  | "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
  | "ACTIVITY_TYPE_CREATE_ORGANIZATION"
  | "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2"
  | "ACTIVITY_TYPE_CREATE_POLICIES"
  | "ACTIVITY_TYPE_CREATE_POLICY"
  | "ACTIVITY_TYPE_CREATE_POLICY_V2"
  | "ACTIVITY_TYPE_CREATE_POLICY_V3"
  | "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS"
  | "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"
  | "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG"
  | "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION"
  | "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION"
  | "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2"
  | "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"
  | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8"
  | "ACTIVITY_TYPE_CREATE_USERS"
  | "ACTIVITY_TYPE_CREATE_USERS_V2"
  | "ACTIVITY_TYPE_CREATE_USERS_V3"
  | "ACTIVITY_TYPE_CREATE_USERS_V4"
  | "ACTIVITY_TYPE_CREATE_USER_TAG"
  | "ACTIVITY_TYPE_CREATE_WALLET"
  | "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"
  | "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT"
  | "ACTIVITY_TYPE_DELETE_API_KEYS"
  | "ACTIVITY_TYPE_DELETE_AUTHENTICATORS"
  | "ACTIVITY_TYPE_DELETE_INVITATION"
  | "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL"
  | "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS"
  | "ACTIVITY_TYPE_DELETE_ORGANIZATION"
  | "ACTIVITY_TYPE_DELETE_PAYMENT_METHOD"
  | "ACTIVITY_TYPE_DELETE_POLICIES"
  | "ACTIVITY_TYPE_DELETE_POLICY"
  | "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS"
  | "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS"
  | "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE"
  | "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"
  | "ACTIVITY_TYPE_DELETE_USERS"
  | "ACTIVITY_TYPE_DELETE_USER_TAGS"
  | "ACTIVITY_TYPE_DELETE_WALLETS"
  | "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS"
  | "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT"
  | "ACTIVITY_TYPE_DISABLE_PRIVATE_KEY"
  | "ACTIVITY_TYPE_EMAIL_AUTH"
  | "ACTIVITY_TYPE_EMAIL_AUTH_V2"
  | "ACTIVITY_TYPE_EMAIL_AUTH_V3"
  | "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY"
  | "ACTIVITY_TYPE_EXPORT_WALLET"
  | "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT"
  | "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY"
  | "ACTIVITY_TYPE_IMPORT_WALLET"
  | "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY"
  | "ACTIVITY_TYPE_INIT_IMPORT_WALLET"
  | "ACTIVITY_TYPE_INIT_OTP"
  | "ACTIVITY_TYPE_INIT_OTP_AUTH"
  | "ACTIVITY_TYPE_INIT_OTP_AUTH_V2"
  | "ACTIVITY_TYPE_INIT_OTP_AUTH_V3"
  | "ACTIVITY_TYPE_INIT_OTP_V2"
  | "ACTIVITY_TYPE_INIT_OTP_V3"
  | "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY"
  | "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2"
  | "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE"
  | "ACTIVITY_TYPE_OAUTH"
  | "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE"
  | "ACTIVITY_TYPE_OAUTH_LOGIN"
  | "ACTIVITY_TYPE_OTP_AUTH"
  | "ACTIVITY_TYPE_OTP_LOGIN"
  | "ACTIVITY_TYPE_OTP_LOGIN_V2"
  | "ACTIVITY_TYPE_RECOVER_USER"
  | "ACTIVITY_TYPE_REJECT_ACTIVITY"
  | "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE"
  | "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY"
  | "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE"
  | "ACTIVITY_TYPE_SET_PAYMENT_METHOD"
  | "ACTIVITY_TYPE_SET_PAYMENT_METHOD_V2"
  | "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD"
  | "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"
  | "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
  | "ACTIVITY_TYPE_SIGN_TRANSACTION"
  | "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"
  | "ACTIVITY_TYPE_STAMP_LOGIN"
  | "ACTIVITY_TYPE_UPDATE_ALLOWED_ORIGINS"
  | "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL"
  | "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME"
  | "ACTIVITY_TYPE_UPDATE_POLICY"
  | "ACTIVITY_TYPE_UPDATE_POLICY_V2"
  | "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG"
  | "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM"
  | "ACTIVITY_TYPE_UPDATE_USER"
  | "ACTIVITY_TYPE_UPDATE_USER_EMAIL"
  | "ACTIVITY_TYPE_UPDATE_USER_NAME"
  | "ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER"
  | "ACTIVITY_TYPE_UPDATE_USER_TAG"
  | "ACTIVITY_TYPE_UPDATE_WALLET"
  | "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT"
  | "ACTIVITY_TYPE_VERIFY_OTP"
  | "ACTIVITY_TYPE_VERIFY_OTP_V2";

/** An address and its format. */
export type Address = {
  format?: AddressFormat;
  /** The address. */
  address?: string;
};

/** Format of the address that is made from the public key. */
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
  | "ADDRESS_FORMAT_TON_V5R1";

/** An entry in an error's details. Its `@type` says what it holds. */
export type Any = {
  /** Kind of the entry. */
  "@type"?: string;
  [name: string]: unknown;
};

/** An API key of a user. Expired keys are not shown. */
export type ApiKey = {
  credential: Credential;
  /** Unique identifier of the API key. A UUID. */
  apiKeyId: string;
  /** Name of the API key. */
  apiKeyName: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /** Lifetime in seconds from `createdAt`, a decimal string. Absent for a long-lived key. */
  expirationSeconds?: string;
};

/** Curve of the API key. */
export type ApiKeyCurve = "API_KEY_CURVE_P256" | "API_KEY_CURVE_SECP256K1" | "API_KEY_CURVE_ED25519";

/** A P-256 API key to register. */
export type ApiKeyParams = {
  /** Name of the API key. 1 to 255 characters. No control or bidirectional characters. */
  apiKeyName: string;
  /** Compressed public key in hex: 66 characters, or 64 for Ed25519. */
  publicKey: string;
  /**
   * Lifetime in seconds, as a decimal string. Leave it out for a long-lived key. 1 to
   * 9,999,999,999.
   */
  expirationSeconds?: string | number;
};

/** An API key to register. */
export type ApiKeyParamsV2 = {
  /** Name of the API key. 1 to 255 characters. No control or bidirectional characters. */
  apiKeyName: string;
  /** Compressed public key in hex: 66 characters, or 64 for Ed25519. */
  publicKey: string;
  curveType: ApiKeyCurve;
  /**
   * Lifetime in seconds, as a decimal string. Leave it out for a long-lived key. 1 to
   * 9,999,999,999.
   */
  expirationSeconds?: string | number;
};

/** A user to create who only uses the API. */
export type ApiOnlyUserParams = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** Ids of the tags to add to the user. Up to 100 UUIDs. */
  userTags: string[];
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParams[];
};

/** A statement signed by the signer. Anyone can verify it without the service. */
export type AppProof = {
  scheme: SignatureScheme;
  /**
   * Quorum key of the signer: its encryption point followed by its signing point, 130 bytes as hex.
   */
  publicKey: string;
  /**
   * The statement as canonical JSON: `type`, `timestampMs` and the facts stated. The signature is
   * over this text.
   */
  proofPayload: string;
  /** Signature over `proofPayload`: r followed by s, 64 bytes as hex. */
  signature: string;
};

/** Parameters of `ACTIVITY_TYPE_APPROVE_ACTIVITY`. */
export type ApproveActivityIntent = {
  /** Fingerprint of the activity: `sha256:` and the SHA-256 of its request body in hex. */
  fingerprint: string;
};

/** Request of “Approve activity”. */
export type ApproveActivityRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_APPROVE_ACTIVITY";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: ApproveActivityIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** What the browser returned at registration. */
export type Attestation = {
  /** Credential id, base64url. Up to 256 characters. */
  credentialId: string;
  /** Client data, base64url. Up to 4,096 characters. */
  clientDataJson: string;
  /** Attestation object, base64url. Up to 16,384 characters. */
  attestationObject: string;
  /** Transports by which the authenticator can be reached. Up to 100 entries. */
  transports: AuthenticatorTransport[];
};

/** A credential, or any credential of a type. */
export type AuthenticationMethod = {
  type: AuthenticationType;
  /** Id of one credential. If absent, any credential of the type. */
  id?: string;
};

/** A way to authenticate. */
export type AuthenticationType =
  | "AUTHENTICATION_TYPE_EMAIL_OTP"
  | "AUTHENTICATION_TYPE_SMS_OTP"
  | "AUTHENTICATION_TYPE_PASSKEY"
  | "AUTHENTICATION_TYPE_API_KEY"
  | "AUTHENTICATION_TYPE_OAUTH"
  | "AUTHENTICATION_TYPE_SESSION";

/** A passkey of a user. */
export type Authenticator = {
  /** Ways in which the authenticator can be reached. */
  transports: AuthenticatorTransport[];
  /** Attestation format of the registration, such as `none`. */
  attestationType: string;
  /** Identifier of the authenticator's model, base64url. */
  aaguid: string;
  /** Credential id, base64url. */
  credentialId: string;
  /** Display text for the authenticator's model. */
  model: string;
  credential: Credential;
  /** Unique identifier of the authenticator. */
  authenticatorId: string;
  /** Name of the authenticator. */
  authenticatorName: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /**
   * When it last stamped a submission, to the minute. Only queries about authenticators show it.
   */
  lastUsedAt?: Timestamp;
};

/** The authenticator's answer. */
export type AuthenticatorAttestationResponse = {
  /** Client data, base64url. Up to 4,096 characters. */
  clientDataJson: string;
  /** Attestation object, base64url. Up to 16,384 characters. */
  attestationObject: string;
  /** Transports by which the authenticator can be reached. Up to 100 entries. */
  transports?: AuthenticatorTransport[];
  /** Whether the authenticator is built in. */
  authenticatorAttachment?: "cross-platform" | "platform";
};

/** A passkey to register, in the oldest format. */
export type AuthenticatorParams = {
  /** Name of the authenticator. 1 to 255 characters. No control or bidirectional characters. */
  authenticatorName: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
  attestation: PublicKeyCredentialWithAttestation;
  /** Challenge used at registration, base64url. Up to 256 characters. */
  challenge: string;
};

/** A passkey to register. */
export type AuthenticatorParamsV2 = {
  /** Name of the authenticator. 1 to 255 characters. No control or bidirectional characters. */
  authenticatorName: string;
  /** Challenge used at registration, base64url. Up to 256 characters. */
  challenge: string;
  attestation: Attestation;
};

/** How the browser communicates with the authenticator. */
export type AuthenticatorTransport =
  | "AUTHENTICATOR_TRANSPORT_BLE"
  | "AUTHENTICATOR_TRANSPORT_INTERNAL"
  | "AUTHENTICATOR_TRANSPORT_NFC"
  | "AUTHENTICATOR_TRANSPORT_USB"
  | "AUTHENTICATOR_TRANSPORT_HYBRID";

/** Proof of possession of the key that a verification token names. */
export type ClientSignature = {
  /** Public key of the signer, hex. Compressed: 66 characters. */
  publicKey: string;
  scheme: ClientSignatureScheme;
  /**
   * The message that was signed: JSON that says what the request asks for. Up to 65,536 characters.
   */
  message: string;
  /** Signature over the SHA-256 of the message: r and s, in hex. */
  signature: string;
};

/** Signature scheme. */
export type ClientSignatureScheme = "CLIENT_SIGNATURE_SCHEME_API_P256";

/** Settings of an organization. */
export type Config = {
  /** Features that are switched on. */
  features?: Feature[];
  quorum?: Quorum;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_API_KEYS`. */
export type CreateApiKeysIntent = {
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParams[];
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_API_KEYS_V2`. */
export type CreateApiKeysIntentV2 = {
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParamsV2[];
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Request of “Create API keys”. */
export type CreateApiKeysRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_API_KEYS" | "ACTIVITY_TYPE_CREATE_API_KEYS_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateApiKeysIntent | CreateApiKeysIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create API keys”. */
export type CreateApiKeysResult = {
  /** Ids of the API keys, in the order of the request. */
  apiKeyIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_API_ONLY_USERS`. */
export type CreateApiOnlyUsersIntent = {
  /** Users to create. Up to 100 entries. */
  apiOnlyUsers: ApiOnlyUserParams[];
};

/** Request of “Create API-only users”. */
export type CreateApiOnlyUsersRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_API_ONLY_USERS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateApiOnlyUsersIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create API-only users”. */
export type CreateApiOnlyUsersResult = {
  /** Ids of the users, in the order of the request. */
  userIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_AUTHENTICATORS`. */
export type CreateAuthenticatorsIntent = {
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParams[];
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2`. */
export type CreateAuthenticatorsIntentV2 = {
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Request of “Create authenticators”. */
export type CreateAuthenticatorsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS" | "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateAuthenticatorsIntent | CreateAuthenticatorsIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create authenticators”. */
export type CreateAuthenticatorsResult = {
  /** Ids of the authenticators, in the order of the request. */
  authenticatorIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_INVITATIONS`. */
export type CreateInvitationsIntent = {
  /** People to invite. Up to 100 entries. */
  invitations: InvitationParams[];
};

/** Request of “Create invitations”. */
export type CreateInvitationsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_INVITATIONS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateInvitationsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create invitations”. */
export type CreateInvitationsResult = {
  /** Ids of the invitations, in the order of the request. */
  invitationIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL`. */
export type CreateOauth2CredentialIntent = {
  provider: Oauth2Provider;
  /** The id that the provider gave to your application. Up to 255 characters. */
  clientId: unknown & unknown;
  /**
   * The secret that the provider gave to your application, encrypted to the first half of the
   * service’s quorum public key, as client libraries do it: `encryptOauth2ClientSecret`. Only the
   * signer opens it. Up to 1,730 characters. In lower-case hex.
   */
  encryptedClientSecret: string;
};

/** Request of “Create OAuth 2.0 credential”. */
export type CreateOauth2CredentialRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateOauth2CredentialIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create OAuth 2.0 credential”. */
export type CreateOauth2CredentialResult = {
  /** Unique identifier of the OAuth 2.0 credential. A UUID. */
  oauth2CredentialId: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS`. */
export type CreateOauthProvidersIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParams[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2`. */
export type CreateOauthProvidersIntentV2 = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParamsV2[];
};

/** Request of “Create OAuth providers”. */
export type CreateOauthProvidersRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS" | "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateOauthProvidersIntent | CreateOauthProvidersIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create OAuth providers”. */
export type CreateOauthProvidersResult = {
  /** Ids of the OAuth providers, in the order of the request. */
  providerIds: string[];
};

/** Result of “Create OAuth providers”. */
export type CreateOauthProvidersResultV2 = {
  /** Ids of the OAuth providers, in the order of the request. */
  providerIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_ORGANIZATION`. */
export type CreateOrganizationIntent = {
  /** Name of the organization. 1 to 255 characters. No control or bidirectional characters. */
  organizationName: string;
  /** Name of the root user. 1 to 255 characters. No control or bidirectional characters. */
  rootUserName: string;
  /** Email address. Up to 254 characters. */
  rootUserEmail?: string;
  apiKey: ApiKeyParamsV2;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_ORGANIZATION_V2`. */
export type CreateOrganizationIntentV2 = {
  /** Name of the organization. 1 to 255 characters. No control or bidirectional characters. */
  organizationName: string;
  /** Email address of the root user. Up to 254 characters. */
  rootEmail?: string;
  /**
   * Name of the root user. By default the email address, or `Root user`. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  rootUserName?: string;
  /**
   * An API key of the root user, which does not expire. It stamps this request, unless the passkey
   * does.
   */
  rootApiKey?: ApiKeyParamsV2;
  /** A passkey of the root user. It stamps this request, unless the API key does. */
  rootAuthenticator?: AuthenticatorParamsV2;
};

/** Request of “Create organization”. */
export type CreateOrganizationRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_ORGANIZATION" | "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateOrganizationIntent | CreateOrganizationIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create organization”. */
export type CreateOrganizationResult = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the root user. A UUID. */
  userId: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_POLICIES`. */
export type CreatePoliciesIntent = {
  /** The policies to create. 1 to 100 entries. */
  policies: CreatePolicyIntentV3[];
};

/** Request of “Create policies”. */
export type CreatePoliciesRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_POLICIES";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreatePoliciesIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create policies”. */
export type CreatePoliciesResult = {
  /** Ids of the policies, in the order of the request. */
  policyIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_POLICY`. */
export type CreatePolicyIntent = {
  /**
   * Name of the policy, unique among the policies of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  policyName: string;
  /**
   * Tests that must all hold. They are stored as expressions: tests of the user as the consensus,
   * the others as the condition. Up to 100 entries.
   */
  selectors: Selector[];
  effect: Effect;
  /**
   * Notes for people, at most 4,096 characters. No control characters except tabs and line breaks.
   * Default: empty.
   */
  notes?: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_POLICY_V2`. */
export type CreatePolicyIntentV2 = {
  /**
   * Name of the policy, unique among the policies of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  policyName: string;
  /**
   * Tests that must all hold. They are stored as expressions: tests of the user as the consensus,
   * the others as the condition. Up to 100 entries.
   */
  selectors: SelectorV2[];
  effect: Effect;
  /**
   * Notes for people, at most 4,096 characters. No control characters except tabs and line breaks.
   * Default: empty.
   */
  notes?: string;
};

/** A policy to create. */
export type CreatePolicyIntentV3 = {
  /**
   * Name of the policy, unique among the policies of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  policyName: string;
  effect: Effect;
  /**
   * Expression over the request: what the policy is about. If it is left out, the policy is about
   * every request.
   */
  condition?: string;
  /**
   * Expression over the approvals so far: who must agree. If it is left out, no further approval is
   * needed.
   */
  consensus?: string;
  /**
   * Notes for people, at most 4,096 characters. No control characters except tabs and line breaks.
   * Default: empty.
   */
  notes?: string;
  /**
   * Expression over the signer's clock: when the policy applies. If it is left out or empty, the
   * policy always applies.
   */
  time?: string;
};

/** Request of “Create policy”. */
export type CreatePolicyRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_POLICY" | "ACTIVITY_TYPE_CREATE_POLICY_V2" | "ACTIVITY_TYPE_CREATE_POLICY_V3";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreatePolicyIntent | CreatePolicyIntentV2 | CreatePolicyIntentV3;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create policy”. */
export type CreatePolicyResult = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_PRIVATE_KEYS`. */
export type CreatePrivateKeysIntent = {
  /** Private keys to create. Up to 100 entries. */
  privateKeys: PrivateKeyParams[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2`. */
export type CreatePrivateKeysIntentV2 = {
  /** Private keys to create. Up to 100 entries. */
  privateKeys: PrivateKeyParams[];
};

/** Request of “Create private keys”. */
export type CreatePrivateKeysRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS" | "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreatePrivateKeysIntent | CreatePrivateKeysIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create private keys”. */
export type CreatePrivateKeysResult = {
  /** Ids of the private keys, in the order of the request. */
  privateKeyIds: string[];
};

/** Result of “Create private keys”. */
export type CreatePrivateKeysResultV2 = {
  /** The private keys, in the order of the request. */
  privateKeys: PrivateKeyResult[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG`. */
export type CreatePrivateKeyTagIntent = {
  /**
   * Name of the tag, unique among the private key tags of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  privateKeyTagName: string;
  /** Ids of the private keys to add the tag to. Up to 100 UUIDs. */
  privateKeyIds: string[];
};

/** Request of “Create private key tag”. */
export type CreatePrivateKeyTagRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreatePrivateKeyTagIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create private key tag”. */
export type CreatePrivateKeyTagResult = {
  /** Unique identifier of the private key tag. A UUID. */
  privateKeyTagId: string;
  /** Ids of the private keys that got the tag. */
  privateKeyIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION`. */
export type CreateReadOnlySessionIntent = Record<never, never>;

/** Request of “Create read only session”. */
export type CreateReadOnlySessionRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateReadOnlySessionIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create read only session”. */
export type CreateReadOnlySessionResult = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Name of the organization. */
  organizationName: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Name of the user. */
  username: string;
  /** The token, for the header `X-Session`. Keep it secret. */
  session: string;
  /** When the token expires, in seconds since 1970, as a decimal string. */
  sessionExpiry: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION`. */
export type CreateReadWriteSessionIntent = {
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Name of the session's key. `Read Write Session` and the time by default. 1 to 255 characters.
   * No control or bidirectional characters.
   */
  apiKeyName?: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** Email address. Up to 254 characters. */
  email: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2`. */
export type CreateReadWriteSessionIntentV2 = {
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Name of the session's key. `Read Write Session` and the time by default. 1 to 255 characters.
   * No control or bidirectional characters.
   */
  apiKeyName?: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** User who gets the session. You by default. A UUID. */
  userId?: string;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
};

/** Request of “Create read write session”. */
export type CreateReadWriteSessionRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION" | "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateReadWriteSessionIntent | CreateReadWriteSessionIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create read write session”. */
export type CreateReadWriteSessionResult = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Name of the organization. */
  organizationName: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Name of the user. */
  username: string;
  /** Unique identifier of the API key. A UUID. */
  apiKeyId: string;
  /** The private key of the session, encrypted to your key, in base58 with a checksum. */
  credentialBundle: string;
};

/** Result of “Create read write session”. */
export type CreateReadWriteSessionResultV2 = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Name of the organization. */
  organizationName: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Name of the user. */
  username: string;
  /** Unique identifier of the API key. A UUID. */
  apiKeyId: string;
  /** The private key of the session, encrypted to your key, in base58 with a checksum. */
  credentialBundle: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE`. */
export type CreateSmartContractInterfaceIntent = {
  /**
   * Address of the contract. Ethereum: `0x` and 40 hex characters; mixed case must be the checksum
   * of EIP-55. Solana: the program's address in base58. An address can have one interface in an
   * organization. Not empty.
   */
  smartContractAddress: string;
  /**
   * The interface as JSON text of at most 400,000 bytes. Ethereum: the contract's ABI, a list of at
   * most 1,000 functions, in which every parameter has a `name` (it may be empty). Solana: the
   * program's Anchor IDL, of at most 1,000 instructions.
   */
  smartContractInterface: string;
  type: SmartContractInterfaceType;
  /**
   * Name of the interface, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  label: string;
  /**
   * Notes about the interface, at most 1,000 characters. No control characters except tabs and line
   * breaks.
   */
  notes?: string;
};

/** Request of “Create smart contract interface”. */
export type CreateSmartContractInterfaceRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateSmartContractInterfaceIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create smart contract interface”. */
export type CreateSmartContractInterfaceResult = {
  /** Unique identifier of the smart contract interface. A UUID. */
  smartContractInterfaceId: string;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION`. */
export type CreateSubOrganizationIntent = {
  /** Name of the sub-organization. 1 to 255 characters. No control or bidirectional characters. */
  name: string;
  /** Passkey of the only root user, who gets its name. */
  rootAuthenticator: AuthenticatorParamsV2;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2`. */
export type CreateSubOrganizationIntentV2 = {
  /**
   * Name of the sub-organization. It need not be unique. Up to 255 characters. No control or
   * bidirectional characters.
   */
  subOrganizationName: string;
  /** Root users of the sub-organization. Up to 100 entries. */
  rootUsers: RootUserParams[];
  /** Approvals that the root quorum needs, from 1 to the number of root users. */
  rootQuorumThreshold: number;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3`. */
export type CreateSubOrganizationIntentV3 = {
  /**
   * Name of the sub-organization. It need not be unique. Up to 255 characters. No control or
   * bidirectional characters.
   */
  subOrganizationName: string;
  /** Root users of the sub-organization. Up to 100 entries. */
  rootUsers: RootUserParams[];
  /** Approvals that the root quorum needs, from 1 to the number of root users. */
  rootQuorumThreshold: number;
  /** Private keys to create. Up to 100 entries. */
  privateKeys: PrivateKeyParams[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4`. */
export type CreateSubOrganizationIntentV4 = {
  /**
   * Name of the sub-organization. It need not be unique. Up to 255 characters. No control or
   * bidirectional characters.
   */
  subOrganizationName: string;
  /** Root users of the sub-organization. Up to 100 entries. */
  rootUsers: RootUserParams[];
  /** Approvals that the root quorum needs, from 1 to the number of root users. */
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  /** Disable email recovery. */
  disableEmailRecovery?: boolean;
  /** Disable login by email. */
  disableEmailAuth?: boolean;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5`. */
export type CreateSubOrganizationIntentV5 = {
  /**
   * Name of the sub-organization. It need not be unique. Up to 255 characters. No control or
   * bidirectional characters.
   */
  subOrganizationName: string;
  /** Root users of the sub-organization. Up to 100 entries. */
  rootUsers: RootUserParamsV2[];
  /** Approvals that the root quorum needs, from 1 to the number of root users. */
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  /** Disable email recovery. */
  disableEmailRecovery?: boolean;
  /** Disable login by email. */
  disableEmailAuth?: boolean;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6`. */
export type CreateSubOrganizationIntentV6 = {
  /**
   * Name of the sub-organization. It need not be unique. Up to 255 characters. No control or
   * bidirectional characters.
   */
  subOrganizationName: string;
  /** Root users of the sub-organization. Up to 100 entries. */
  rootUsers: RootUserParamsV3[];
  /** Approvals that the root quorum needs, from 1 to the number of root users. */
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  /** Disable email recovery. */
  disableEmailRecovery?: boolean;
  /** Disable login by email. */
  disableEmailAuth?: boolean;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7`. */
export type CreateSubOrganizationIntentV7 = {
  /**
   * Name of the sub-organization. It need not be unique. Up to 255 characters. No control or
   * bidirectional characters.
   */
  subOrganizationName: string;
  /** Root users of the sub-organization. Up to 100 entries. */
  rootUsers: RootUserParamsV4[];
  /** Approvals that the root quorum needs, from 1 to the number of root users. */
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  /** Disable email recovery. */
  disableEmailRecovery?: boolean;
  /** Disable login by email. */
  disableEmailAuth?: boolean;
  /** Disable login by SMS. */
  disableSmsAuth?: boolean;
  /** Disable login by a code sent by email. */
  disableOtpEmailAuth?: boolean;
  /**
   * A token from verify_otp. It proves the contact of a root user, which is verified if there are
   * no other root users. A token creates one sub-organization. Up to 4,096 characters.
   */
  verificationToken?: string;
  /**
   * By the key that the verification token names: proof that its holder asks for this root user.
   */
  clientSignature?: ClientSignature;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8`. */
export type CreateSubOrganizationIntentV8 = {
  /**
   * Name of the sub-organization. It need not be unique. Up to 255 characters. No control or
   * bidirectional characters.
   */
  subOrganizationName: string;
  /** Root users of the sub-organization. Up to 100 entries. */
  rootUsers: RootUserParamsV5[];
  /** Approvals that the root quorum needs, from 1 to the number of root users. */
  rootQuorumThreshold: number;
  wallet?: WalletParams;
  /** Disable email recovery. */
  disableEmailRecovery?: boolean;
  /** Disable login by email. */
  disableEmailAuth?: boolean;
  /** Disable login by SMS. */
  disableSmsAuth?: boolean;
  /** Disable login by a code sent by email. */
  disableOtpEmailAuth?: boolean;
  /**
   * A token from verify_otp. It proves the contact of a root user, which is verified if there are
   * no other root users. A token creates one sub-organization. Up to 4,096 characters.
   */
  verificationToken?: string;
  /**
   * By the key that the verification token names: proof that its holder asks for this root user.
   */
  clientSignature?: ClientSignature;
};

/** Request of “Create sub-organization”. */
export type CreateSubOrganizationRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION" | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2" | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3" | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4" | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5" | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6" | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7" | "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateSubOrganizationIntent | CreateSubOrganizationIntentV2 | CreateSubOrganizationIntentV3 | CreateSubOrganizationIntentV4 | CreateSubOrganizationIntentV5 | CreateSubOrganizationIntentV6 | CreateSubOrganizationIntentV7 | CreateSubOrganizationIntentV8;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create sub-organization”. */
export type CreateSubOrganizationResult = {
  /** Unique identifier of the organization. A UUID. */
  subOrganizationId: string;
  /** Ids of the root users, in the order of `rootUsers`. */
  rootUserIds?: string[];
};

/** Result of “Create sub-organization”. */
export type CreateSubOrganizationResultV3 = {
  /** Unique identifier of the organization. A UUID. */
  subOrganizationId: string;
  /** The private keys, in the order of the request. */
  privateKeys: PrivateKeyResult[];
  /** Ids of the root users, in the order of `rootUsers`. */
  rootUserIds?: string[];
};

/** Result of “Create sub-organization”. */
export type CreateSubOrganizationResultV4 = {
  /** Unique identifier of the organization. A UUID. */
  subOrganizationId: string;
  wallet?: WalletResult;
  /** Ids of the root users, in the order of `rootUsers`. */
  rootUserIds?: string[];
};

/** Result of “Create sub-organization”. */
export type CreateSubOrganizationResultV5 = {
  /** Unique identifier of the organization. A UUID. */
  subOrganizationId: string;
  wallet?: WalletResult;
  /** Ids of the root users, in the order of `rootUsers`. */
  rootUserIds?: string[];
};

/** Result of “Create sub-organization”. */
export type CreateSubOrganizationResultV6 = {
  /** Unique identifier of the organization. A UUID. */
  subOrganizationId: string;
  wallet?: WalletResult;
  /** Ids of the root users, in the order of `rootUsers`. */
  rootUserIds?: string[];
};

/** Result of “Create sub-organization”. */
export type CreateSubOrganizationResultV7 = {
  /** Unique identifier of the organization. A UUID. */
  subOrganizationId: string;
  wallet?: WalletResult;
  /** Ids of the root users, in the order of `rootUsers`. */
  rootUserIds?: string[];
};

/** Result of “Create sub-organization”. */
export type CreateSubOrganizationResultV8 = {
  /** Unique identifier of the organization. A UUID. */
  subOrganizationId: string;
  wallet?: WalletResult;
  /** Ids of the root users, in the order of `rootUsers`. */
  rootUserIds?: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_USERS`. */
export type CreateUsersIntent = {
  /** Users to create. Up to 100 entries. */
  users: UserParams[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_USERS_V2`. */
export type CreateUsersIntentV2 = {
  /** Users to create. Up to 100 entries. */
  users: UserParamsV2[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_USERS_V3`. */
export type CreateUsersIntentV3 = {
  /** Users to create. Up to 100 entries. */
  users: UserParamsV3[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_USERS_V4`. */
export type CreateUsersIntentV4 = {
  /** Users to create. Up to 100 entries. */
  users: UserParamsV4[];
};

/** Request of “Create users”. */
export type CreateUsersRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_USERS" | "ACTIVITY_TYPE_CREATE_USERS_V2" | "ACTIVITY_TYPE_CREATE_USERS_V3" | "ACTIVITY_TYPE_CREATE_USERS_V4";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateUsersIntent | CreateUsersIntentV2 | CreateUsersIntentV3 | CreateUsersIntentV4;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create users”. */
export type CreateUsersResult = {
  /** Ids of the users, in the order of the request. */
  userIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_USER_TAG`. */
export type CreateUserTagIntent = {
  /**
   * Name of the tag, unique among the user tags of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  userTagName: string;
  /** Ids of the users to add the tag to. Up to 100 UUIDs. */
  userIds: string[];
};

/** Request of “Create user tag”. */
export type CreateUserTagRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_USER_TAG";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateUserTagIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create user tag”. */
export type CreateUserTagResult = {
  /** Unique identifier of the user tag. A UUID. */
  userTagId: string;
  /** Ids of the users that have the tag. */
  userIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS`. */
export type CreateWalletAccountsIntent = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /** Accounts to derive. Up to 100 entries. */
  accounts: WalletAccountParams[];
  /** If false, the addresses are derived and returned, but the accounts are not stored. */
  persist?: boolean;
};

/** Request of “Create wallet accounts”. */
export type CreateWalletAccountsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateWalletAccountsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create wallet accounts”. */
export type CreateWalletAccountsResult = {
  /** The addresses, in the order of the accounts in the request. */
  addresses: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_WALLET`. */
export type CreateWalletIntent = {
  /**
   * Name of the wallet, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  walletName: string;
  /** Accounts to derive. Up to 100 entries. */
  accounts: WalletAccountParams[];
  /** Number of words in the wallet's mnemonic: 12, 15, 18, 21 or 24. The default is 12. */
  mnemonicLength?: 12 | 15 | 18 | 21 | 24;
};

/** Request of “Create wallet”. */
export type CreateWalletRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_WALLET";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateWalletIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create wallet”. */
export type CreateWalletResult = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /** The addresses, in the order of the accounts in the request. */
  addresses: string[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT`. */
export type CreateWebhookEndpointIntent = {
  /**
   * Where events are sent: an https URL at a public address. The operator can allow private ones.
   * Up to 2,048 characters.
   */
  url: string;
  /**
   * Name of the endpoint. It need not be unique. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  name: string;
  /**
   * Events that the endpoint gets, each type once. If absent or empty, `ACTIVITY_UPDATES`. Up to 4
   * entries.
   */
  subscriptions?: WebhookSubscriptionParams[];
};

/** Request of “Create webhook endpoint”. */
export type CreateWebhookEndpointRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: CreateWebhookEndpointIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Create webhook endpoint”. */
export type CreateWebhookEndpointResult = {
  /** Unique identifier of the webhook endpoint. A UUID. */
  endpointId: string;
  webhookEndpoint: WebhookEndpointData;
};

/** A public key that requests are stamped with. */
export type Credential = {
  /** Public key: hex, compressed for ECDSA curves. */
  publicKey: string;
  type: CredentialType;
};

/** Kind of the credential, and how it was created. */
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

/** Result of the credProps extension. */
export type CredPropsAuthenticationExtensionsClientOutputs = {
  /** Whether the key is discoverable. */
  rk: boolean;
};

/** Elliptic curve of the key. */
export type Curve = "CURVE_SECP256K1" | "CURVE_ED25519" | "CURVE_P256";

/** Parameters of `ACTIVITY_TYPE_DELETE_API_KEYS`. */
export type DeleteApiKeysIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Ids of the API keys to delete. A repeated id counts once. 1 to 100 UUIDs. */
  apiKeyIds: string[];
};

/** Request of “Delete API keys”. */
export type DeleteApiKeysRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_API_KEYS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteApiKeysIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete API keys”. */
export type DeleteApiKeysResult = {
  /** Ids of the API keys that were deleted. */
  apiKeyIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_AUTHENTICATORS`. */
export type DeleteAuthenticatorsIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Ids of the authenticators to delete. A repeated id counts once. 1 to 100 UUIDs. */
  authenticatorIds: string[];
};

/** Request of “Delete authenticators”. */
export type DeleteAuthenticatorsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_AUTHENTICATORS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteAuthenticatorsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete authenticators”. */
export type DeleteAuthenticatorsResult = {
  /** Ids of the authenticators that were deleted. */
  authenticatorIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_INVITATION`. */
export type DeleteInvitationIntent = {
  /** Unique identifier of the invitation. A UUID. */
  invitationId: string;
};

/** Request of “Delete invitation”. */
export type DeleteInvitationRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_INVITATION";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteInvitationIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete invitation”. */
export type DeleteInvitationResult = {
  /** Unique identifier of the invitation. A UUID. */
  invitationId: string;
};

/** Parameters of `ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL`. */
export type DeleteOauth2CredentialIntent = {
  /** Unique identifier of the OAuth 2.0 credential. A UUID. */
  oauth2CredentialId: string;
};

/** Request of “Delete OAuth 2.0 credential”. */
export type DeleteOauth2CredentialRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteOauth2CredentialIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete OAuth 2.0 credential”. */
export type DeleteOauth2CredentialResult = {
  /** Unique identifier of the OAuth 2.0 credential. A UUID. */
  oauth2CredentialId: string;
};

/** Parameters of `ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS`. */
export type DeleteOauthProvidersIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Ids of the OAuth providers to delete. A repeated id counts once. 1 to 100 UUIDs. */
  providerIds: string[];
};

/** Request of “Delete OAuth providers”. */
export type DeleteOauthProvidersRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteOauthProvidersIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete OAuth providers”. */
export type DeleteOauthProvidersResult = {
  /** Ids of the OAuth providers that were deleted. */
  providerIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_ORGANIZATION`. */
export type DeleteOrganizationIntent = {
  /** The organization to delete: the same as in the envelope. A UUID. */
  organizationId: string;
  /**
   * Whether to delete even keys that were never exported, so that no copy is left. The default is
   * false.
   */
  deleteWithoutExport?: boolean;
};

/** Request of “Delete organization”. */
export type DeleteOrganizationRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_ORGANIZATION";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteOrganizationIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete organization”. */
export type DeleteOrganizationResult = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Parameters of `ACTIVITY_TYPE_DELETE_POLICIES`. */
export type DeletePoliciesIntent = {
  /** Ids of the policies to delete. A repeated id counts once. 1 to 100 UUIDs. */
  policyIds: string[];
};

/** Request of “Delete policies”. */
export type DeletePoliciesRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_POLICIES";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeletePoliciesIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete policies”. */
export type DeletePoliciesResult = {
  /** Ids of the policies that were deleted. */
  policyIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_POLICY`. */
export type DeletePolicyIntent = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
};

/** Request of “Delete policy”. */
export type DeletePolicyRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_POLICY";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeletePolicyIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete policy”. */
export type DeletePolicyResult = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
};

/** Parameters of `ACTIVITY_TYPE_DELETE_PRIVATE_KEYS`. */
export type DeletePrivateKeysIntent = {
  /** Ids of the private keys to delete. A repeated id counts once. 1 to 100 UUIDs. */
  privateKeyIds: string[];
  /**
   * Whether to delete even keys that were never exported, so that no copy is left. The default is
   * false.
   */
  deleteWithoutExport?: boolean;
};

/** Request of “Delete private keys”. */
export type DeletePrivateKeysRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeletePrivateKeysIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete private keys”. */
export type DeletePrivateKeysResult = {
  /** Ids of the private keys that were deleted. */
  privateKeyIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS`. */
export type DeletePrivateKeyTagsIntent = {
  /** Ids of the tags to delete. A repeated id counts once. 1 to 100 UUIDs. */
  privateKeyTagIds: string[];
};

/** Request of “Delete private key tags”. */
export type DeletePrivateKeyTagsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeletePrivateKeyTagsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete private key tags”. */
export type DeletePrivateKeyTagsResult = {
  /** Ids of the tags that were deleted. */
  privateKeyTagIds: string[];
  /** Ids of the private keys that had at least one of the tags. */
  privateKeyIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE`. */
export type DeleteSmartContractInterfaceIntent = {
  /** Unique identifier of the smart contract interface. A UUID. */
  smartContractInterfaceId: string;
};

/** Request of “Delete smart contract interface”. */
export type DeleteSmartContractInterfaceRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteSmartContractInterfaceIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete smart contract interface”. */
export type DeleteSmartContractInterfaceResult = {
  /** Unique identifier of the smart contract interface. A UUID. */
  smartContractInterfaceId: string;
};

/** Parameters of `ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION`. */
export type DeleteSubOrganizationIntent = {
  /**
   * Whether to delete even keys that were never exported, so that no copy is left. The default is
   * false.
   */
  deleteWithoutExport?: boolean;
};

/** Request of “Delete sub-organization”. */
export type DeleteSubOrganizationRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteSubOrganizationIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete sub-organization”. */
export type DeleteSubOrganizationResult = {
  /** Unique identifier of the sub-organization that was deleted. A UUID. */
  subOrganizationUuid: string;
};

/** Parameters of `ACTIVITY_TYPE_DELETE_USERS`. */
export type DeleteUsersIntent = {
  /** Ids of the users to delete. A repeated id counts once. 1 to 100 UUIDs. */
  userIds: string[];
};

/** Request of “Delete users”. */
export type DeleteUsersRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_USERS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteUsersIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete users”. */
export type DeleteUsersResult = {
  /** Ids of the users that were deleted. */
  userIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_USER_TAGS`. */
export type DeleteUserTagsIntent = {
  /** Ids of the tags to delete. A repeated id counts once. 1 to 100 UUIDs. */
  userTagIds: string[];
};

/** Request of “Delete user tags”. */
export type DeleteUserTagsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_USER_TAGS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteUserTagsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete user tags”. */
export type DeleteUserTagsResult = {
  /** Ids of the tags that were deleted. */
  userTagIds: string[];
  /** Ids of the users that had at least one of the tags. */
  userIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS`. */
export type DeleteWalletAccountsIntent = {
  /** Ids of the accounts to delete. A repeated id counts once. 1 to 100 UUIDs. */
  walletAccountIds: string[];
  /**
   * Whether to delete even keys that were never exported, so that no copy is left. The default is
   * false.
   */
  deleteWithoutExport?: boolean;
};

/** Request of “Delete wallet accounts”. */
export type DeleteWalletAccountsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteWalletAccountsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete wallet accounts”. */
export type DeleteWalletAccountsResult = {
  /** Ids of the accounts that were deleted. */
  walletAccountIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_WALLETS`. */
export type DeleteWalletsIntent = {
  /** Ids of the wallets to delete. A repeated id counts once. 1 to 100 UUIDs. */
  walletIds: string[];
  /**
   * Whether to delete even keys that were never exported, so that no copy is left. The default is
   * false.
   */
  deleteWithoutExport?: boolean;
};

/** Request of “Delete wallets”. */
export type DeleteWalletsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_WALLETS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteWalletsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete wallets”. */
export type DeleteWalletsResult = {
  /** Ids of the wallets that were deleted. */
  walletIds: string[];
};

/** Parameters of `ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT`. */
export type DeleteWebhookEndpointIntent = {
  /** Unique identifier of the webhook endpoint. A UUID. */
  endpointId: string;
};

/** Request of “Delete webhook endpoint”. */
export type DeleteWebhookEndpointRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: DeleteWebhookEndpointIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Delete webhook endpoint”. */
export type DeleteWebhookEndpointResult = {
  /** Unique identifier of the webhook endpoint. A UUID. */
  endpointId: string;
};

/** What a policy does if it applies. */
export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

/** How the mail looks. */
export type EmailAuthCustomizationParams = {
  /**
   * Name of the application, as the message shows it. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  appName: string;
  /**
   * Address of the logo, a PNG image of at most 1 MiB and 4 megapixels. No control or bidirectional
   * characters.
   */
  logoUrl?: string;
  /**
   * A link with `%s`, once, in place of the secret. Without it, the message has the secret. Up to
   * 2,048 characters. No control or bidirectional characters.
   */
  magicLinkTemplate?: string;
  /**
   * Values for the operator's template: the JSON text of an object of strings. Up to 4,096
   * characters. No control or bidirectional characters.
   */
  templateVariables?: string;
  /**
   * Name of a template that the operator has installed. Up to 64 letters, digits, `_` and `-`, the
   * first one a letter or a digit.
   */
  templateId?: string;
};

/** Parameters of `ACTIVITY_TYPE_EMAIL_AUTH`. */
export type EmailAuthIntent = {
  /** Email address of the user. Up to 254 characters. */
  email: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Name of the session's key. `Email Auth` and the time by default. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  apiKeyName?: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  emailCustomization?: EmailCustomizationParams;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
};

/** Parameters of `ACTIVITY_TYPE_EMAIL_AUTH_V2`. */
export type EmailAuthIntentV2 = {
  /** Email address of the user. Up to 254 characters. */
  email: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Name of the session's key. `Email Auth` and the time by default. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  apiKeyName?: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  emailCustomization?: EmailCustomizationParams;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
};

/** Parameters of `ACTIVITY_TYPE_EMAIL_AUTH_V3`. */
export type EmailAuthIntentV3 = {
  /** Email address of the user. Up to 254 characters. */
  email: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Name of the session's key. `Email Auth` and the time by default. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  apiKeyName?: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  emailCustomization: EmailAuthCustomizationParams;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
};

/** Request of “Log in by email”. */
export type EmailAuthRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_EMAIL_AUTH" | "ACTIVITY_TYPE_EMAIL_AUTH_V2" | "ACTIVITY_TYPE_EMAIL_AUTH_V3";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: EmailAuthIntent | EmailAuthIntentV2 | EmailAuthIntentV3;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Log in by email”. */
export type EmailAuthResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Unique identifier of the API key. A UUID. */
  apiKeyId: string;
};

/** How the mail looks. */
export type EmailCustomizationParams = {
  /**
   * Name of the application, as the message shows it. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  appName?: string;
  /**
   * Address of the logo, a PNG image of at most 1 MiB and 4 megapixels. No control or bidirectional
   * characters.
   */
  logoUrl?: string;
  /**
   * A link with `%s`, once, in place of the secret. Without it, the message has the secret. Up to
   * 2,048 characters. No control or bidirectional characters.
   */
  magicLinkTemplate?: string;
  /**
   * Values for the operator's template: the JSON text of an object of strings. Up to 4,096
   * characters. No control or bidirectional characters.
   */
  templateVariables?: string;
  /**
   * Name of a template that the operator has installed. Up to 64 letters, digits, `_` and `-`, the
   * first one a letter or a digit.
   */
  templateId?: string;
};

/** How the mail looks. The application's name is given beside it. */
export type EmailCustomizationParamsV2 = {
  /**
   * Address of the logo, a PNG image of at most 1 MiB and 4 megapixels. No control or bidirectional
   * characters.
   */
  logoUrl?: string;
  /**
   * A link with `%s`, once, in place of the secret. Without it, the message has the secret. Up to
   * 2,048 characters. No control or bidirectional characters.
   */
  magicLinkTemplate?: string;
  /**
   * Values for the operator's template: the JSON text of an object of strings. Up to 4,096
   * characters. No control or bidirectional characters.
   */
  templateVariables?: string;
  /**
   * Name of a template that the operator has installed. Up to 64 letters, digits, `_` and `-`, the
   * first one a letter or a digit.
   */
  templateId?: string;
};

/** An error. */
export type Error = {
  /** The error's code as a number of `google.rpc.Code`. */
  code: number;
  /** What went wrong, for people. */
  message: string;
  /**
   * Facts for programs. The first entry has `code`, the stable name of the error; `field`, the path
   * of the field that is wrong, if there is one; and `docs`, the page that explains the error.
   */
  details: Any[];
};

/** Parameters of `ACTIVITY_TYPE_EXPORT_PRIVATE_KEY`. */
export type ExportPrivateKeyIntent = {
  /** Unique identifier of the private key. A UUID. */
  privateKeyId: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
};

/** Request of “Export private key”. */
export type ExportPrivateKeyRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: ExportPrivateKeyIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Export private key”. */
export type ExportPrivateKeyResult = {
  /** Unique identifier of the private key. A UUID. */
  privateKeyId: string;
  /**
   * The secret, encrypted to your key and signed by the signer, as JSON text that client libraries
   * decrypt.
   */
  exportBundle: string;
};

/** Parameters of `ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT`. */
export type ExportWalletAccountIntent = {
  /** Address of the wallet account. Up to 256 characters. */
  address: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
};

/** Request of “Export wallet account”. */
export type ExportWalletAccountRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: ExportWalletAccountIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Export wallet account”. */
export type ExportWalletAccountResult = {
  /** Address of the wallet account. Up to 256 characters. */
  address: string;
  /**
   * The secret, encrypted to your key and signed by the signer, as JSON text that client libraries
   * decrypt.
   */
  exportBundle: string;
};

/** Parameters of `ACTIVITY_TYPE_EXPORT_WALLET`. */
export type ExportWalletIntent = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  language?: MnemonicLanguage;
};

/** Request of “Export wallet”. */
export type ExportWalletRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_EXPORT_WALLET";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: ExportWalletIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Export wallet”. */
export type ExportWalletResult = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /**
   * The secret, encrypted to your key and signed by the signer, as JSON text that client libraries
   * decrypt.
   */
  exportBundle: string;
};

/** A feature that is switched on in the organization. */
export type Feature = {
  name?: FeatureName;
  /** Value of the feature, if it has one. */
  value?: string;
};

/** Name of a feature. */
export type FeatureName =
  | "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY"
  | "FEATURE_NAME_WEBAUTHN_ORIGINS"
  | "FEATURE_NAME_EMAIL_AUTH"
  | "FEATURE_NAME_EMAIL_RECOVERY"
  | "FEATURE_NAME_WEBHOOK"
  | "FEATURE_NAME_SMS_AUTH"
  | "FEATURE_NAME_OTP_EMAIL_AUTH"
  | "FEATURE_NAME_AUTH_PROXY";

/** Request of “List activities”. */
export type GetActivitiesRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Only activities with one of these statuses. If absent, all. Up to 500 entries. */
  filterByStatus?: ActivityStatus[];
  paginationOptions?: Pagination;
  /** Only activities of one of these types. If absent, all. Up to 500 entries. */
  filterByType?: ActivityType[];
  /**
   * Whether to add `addressProofs` to activities whose results show addresses: at most 1,000
   * addresses in an answer.
   */
  includeAddressProofs?: boolean;
};

/** Answer of “List activities”. */
export type GetActivitiesResponse = {
  /** The activities, newest first. */
  activities: Activity[];
  /**
   * `true` if the page ended before its `limit` because its activities are large. More may follow,
   * as on every page. Otherwise absent.
   */
  endedEarly?: boolean;
};

/** Request of “Get activity”. */
export type GetActivityRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the activity. */
  activityId: string;
  /**
   * Whether to add `addressProofs` to activities whose results show addresses: at most 1,000
   * addresses in an answer.
   */
  includeAddressProofs?: boolean;
};

/** Request of “Get API key”. */
export type GetApiKeyRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the API key. A UUID. */
  apiKeyId: string;
};

/** Answer of “Get API key”. */
export type GetApiKeyResponse = {
  apiKey: ApiKey;
};

/** Request of “Get API keys”. */
export type GetApiKeysRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the user. A UUID. */
  userId?: string;
};

/** Answer of “Get API keys”. */
export type GetApiKeysResponse = {
  /** The API keys. */
  apiKeys: ApiKey[];
};

/** Request of “Get authenticator”. */
export type GetAuthenticatorRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the authenticator. A UUID. */
  authenticatorId: string;
};

/** Answer of “Get authenticator”. */
export type GetAuthenticatorResponse = {
  authenticator: Authenticator;
};

/** Request of “Get authenticators”. */
export type GetAuthenticatorsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Answer of “Get authenticators”. */
export type GetAuthenticatorsResponse = {
  /** The passkeys. */
  authenticators: Authenticator[];
};

/** Request of “Get OAuth 2.0 credential”. */
export type GetOauth2CredentialRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the OAuth 2.0 credential. A UUID. */
  oauth2CredentialId: string;
};

/** Answer of “Get OAuth 2.0 credential”. */
export type GetOauth2CredentialResponse = {
  oauth2Credential: Oauth2Credential;
};

/** Request of “Get OAuth providers”. */
export type GetOauthProvidersRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the user. A UUID. */
  userId?: string;
};

/** Answer of “Get OAuth providers”. */
export type GetOauthProvidersResponse = {
  /** The OAuth providers, user by user. */
  oauthProviders: OauthProvider[];
};

/** Request of “Get organization configs”. */
export type GetOrganizationConfigsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “Get organization configs”. */
export type GetOrganizationConfigsResponse = {
  configs: Config;
};

/** Request of “Get organization”. */
export type GetOrganizationRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “Get organization”. */
export type GetOrganizationResponse = {
  organizationData: OrganizationData;
};

/** Request of “List policies”. */
export type GetPoliciesRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List policies”. */
export type GetPoliciesResponse = {
  /** The policies, oldest first. */
  policies: Policy[];
};

/** Request of “Get policy evaluations”. */
export type GetPolicyEvaluationsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Id of the activity, or the `traceId` of a denial. */
  activityId: string;
  /** Whether to show which parts of each policy decided. */
  includeTrace?: boolean;
};

/** Answer of “Get policy evaluations”. */
export type GetPolicyEvaluationsResponse = {
  /** One for each vote, in the order of the votes; one for a denied request. */
  policyEvaluations: PolicyEvaluation[];
};

/** Request of “Get policy”. */
export type GetPolicyRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
};

/** Answer of “Get policy”. */
export type GetPolicyResponse = {
  policy: Policy;
};

/** Request of “Get private key”. */
export type GetPrivateKeyRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the private key. A UUID. */
  privateKeyId: string;
};

/** Answer of “Get private key”. */
export type GetPrivateKeyResponse = {
  privateKey: PrivateKey;
};

/** Request of “List private keys”. */
export type GetPrivateKeysRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List private keys”. */
export type GetPrivateKeysResponse = {
  /** The private keys. */
  privateKeys: PrivateKey[];
};

/** Request of “Get receipts”. */
export type GetReceiptsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** If given, only receipts of this activity, with the segments that hold them. */
  activityId?: string;
  /** Number of the last segment that you already have, as a decimal string. Default `0`. */
  afterSegment?: string;
  /**
   * Maximum number of segments in the answer, as a decimal string up to `100`. Default `10`. Large
   * segments make the page shorter.
   */
  limit?: string;
};

/** Answer of “Get receipts”. */
export type GetReceiptsResponse = {
  receiptsFile: ReceiptsFile;
  /** Whether more segments follow. */
  hasMore: boolean;
  /** How many statements of the activity, or of the organization, are not in a segment yet. */
  unsealed: number;
};

/** Request of “Get smart contract interface”. */
export type GetSmartContractInterfaceRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the smart contract interface. A UUID. */
  smartContractInterfaceId: string;
};

/** Answer of “Get smart contract interface”. */
export type GetSmartContractInterfaceResponse = {
  smartContractInterface: SmartContractInterface;
};

/** Request of “List smart contract interfaces”. */
export type GetSmartContractInterfacesRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List smart contract interfaces”. */
export type GetSmartContractInterfacesResponse = {
  /** The interfaces. */
  smartContractInterfaces: SmartContractInterface[];
};

/** Request of “List sub-organizations”. */
export type GetSubOrgIdsRequest = {
  /** Unique identifier of the parent organization. A UUID. */
  organizationId: string;
  /**
   * What `filterValue` is: NAME, USERNAME, EMAIL, PHONE_NUMBER, PUBLIC_KEY, CREDENTIAL_ID,
   * OIDC_TOKEN, WALLET_ACCOUNT_ADDRESS. Leave both out to list all.
   */
  filterType?: string;
  /**
   * The value to find sub-organizations by. Emails, public keys and Ethereum addresses match in any
   * case. An OIDC token must be valid; it finds the user whose social login it proves. Up to 16,384
   * characters.
   */
  filterValue?: string;
  paginationOptions?: Pagination;
};

/** Answer of “List sub-organizations”. */
export type GetSubOrgIdsResponse = {
  /** Ids of the sub-organizations, in the order of the ids. */
  organizationIds: string[];
};

/** Request of “Get user”. */
export type GetUserRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Answer of “Get user”. */
export type GetUserResponse = {
  user: User;
};

/** Request of “List users”. */
export type GetUsersRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List users”. */
export type GetUsersResponse = {
  /** The users. */
  users: User[];
};

/** Request of “List verified sub-organizations”. */
export type GetVerifiedSubOrgIdsRequest = {
  /** Unique identifier of the parent organization. A UUID. */
  organizationId: string;
  /** What `filterValue` is: EMAIL, PHONE_NUMBER, OIDC_TOKEN. Leave both out to list all. */
  filterType?: string;
  /**
   * The contact, or the OIDC token, to find sub-organizations by. Emails match in any case of ASCII
   * letters. Up to 16,384 characters.
   */
  filterValue?: string;
  paginationOptions?: Pagination;
};

/** Answer of “List verified sub-organizations”. */
export type GetVerifiedSubOrgIdsResponse = {
  /** Ids of the sub-organizations, in the order of the ids. */
  organizationIds: string[];
};

/** Request of “Get wallet account”. */
export type GetWalletAccountRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /** Address of the account. Ethereum addresses match in any case. Up to 256 characters. */
  address?: string;
  /** Derivation path of the account, as it was requested. Up to 256 characters. */
  path?: string;
};

/** Answer of “Get wallet account”. */
export type GetWalletAccountResponse = {
  account: WalletAccount;
};

/** Request of “List wallet accounts”. */
export type GetWalletAccountsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the wallet. A UUID. */
  walletId?: string;
  paginationOptions?: Pagination;
  /** Whether to include each account's wallet as `walletDetails`. */
  includeWalletDetails?: boolean;
};

/** Answer of “List wallet accounts”. */
export type GetWalletAccountsResponse = {
  /** The accounts, oldest first. */
  accounts: WalletAccount[];
};

/** Request of “Get wallet”. */
export type GetWalletRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
};

/** Answer of “Get wallet”. */
export type GetWalletResponse = {
  wallet: Wallet;
};

/** Request of “List wallets”. */
export type GetWalletsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List wallets”. */
export type GetWalletsResponse = {
  /** The wallets. */
  wallets: Wallet[];
};

/** Request of “Who am I?”. */
export type GetWhoamiRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “Who am I?”. */
export type GetWhoamiResponse = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Name of the organization. */
  organizationName: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Name of the user. */
  username: string;
};

/**
 * Hash function applied before signing. NO_OP signs a digest of 32 bytes. Use NOT_APPLICABLE for
 * Ed25519 keys, and only for those.
 */
export type HashFunction =
  | "HASH_FUNCTION_NO_OP"
  | "HASH_FUNCTION_SHA256"
  | "HASH_FUNCTION_KECCAK256"
  | "HASH_FUNCTION_NOT_APPLICABLE";

/** Parameters of `ACTIVITY_TYPE_IMPORT_PRIVATE_KEY`. */
export type ImportPrivateKeyIntent = {
  /** Your own user id: nobody can import for another user. A UUID. */
  userId: string;
  /**
   * Name of the private key, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  privateKeyName: string;
  /**
   * What your client encrypted to the key of your import bundle, as JSON text with `encappedPublic`
   * and `ciphertext`. Up to 8,192 characters.
   */
  encryptedBundle: string;
  curve: Curve;
  /** Formats in which to create the address of the key. Up to 100 entries. */
  addressFormats: AddressFormat[];
};

/** Request of “Import private key”. */
export type ImportPrivateKeyRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: ImportPrivateKeyIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Import private key”. */
export type ImportPrivateKeyResult = {
  /** Unique identifier of the private key. A UUID. */
  privateKeyId: string;
  /** The addresses in the requested formats. */
  addresses: Address[];
};

/** Parameters of `ACTIVITY_TYPE_IMPORT_WALLET`. */
export type ImportWalletIntent = {
  /** Your own user id: nobody can import for another user. A UUID. */
  userId: string;
  /**
   * Name of the wallet, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  walletName: string;
  /**
   * What your client encrypted to the key of your import bundle, as JSON text with `encappedPublic`
   * and `ciphertext`. Up to 8,192 characters.
   */
  encryptedBundle: string;
  /** Accounts to derive. Up to 100 entries. */
  accounts: WalletAccountParams[];
};

/** Request of “Import wallet”. */
export type ImportWalletRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_IMPORT_WALLET";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: ImportWalletIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Import wallet”. */
export type ImportWalletResult = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /** The addresses, in the order of the accounts in the request. */
  addresses: string[];
};

/** Parameters of `ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY`. */
export type InitImportPrivateKeyIntent = {
  /** Your own user id: nobody can import for another user. A UUID. */
  userId: string;
};

/** Request of “Init import private key”. */
export type InitImportPrivateKeyRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: InitImportPrivateKeyIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Init import private key”. */
export type InitImportPrivateKeyResult = {
  /**
   * The key to which you encrypt the import, signed by the signer, as JSON text that client
   * libraries read.
   */
  importBundle: string;
};

/** Parameters of `ACTIVITY_TYPE_INIT_IMPORT_WALLET`. */
export type InitImportWalletIntent = {
  /** Your own user id: nobody can import for another user. A UUID. */
  userId: string;
};

/** Request of “Init import wallet”. */
export type InitImportWalletRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_INIT_IMPORT_WALLET";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: InitImportWalletIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Init import wallet”. */
export type InitImportWalletResult = {
  /**
   * The key to which you encrypt the import, signed by the signer, as JSON text that client
   * libraries read.
   */
  importBundle: string;
};

/** Parameters of `ACTIVITY_TYPE_INIT_OTP_AUTH`. */
export type InitOtpAuthIntent = {
  /** Whether the code is sent by email or by SMS. */
  otpType: "OTP_TYPE_SMS" | "OTP_TYPE_EMAIL";
  /**
   * Where the code is sent: an email address, or a phone number in E.164 form. 1 to 254 characters.
   * No control or bidirectional characters.
   */
  contact: string;
  smsCustomization?: SmsCustomizationParams;
  /**
   * Opaque text about whoever asks, such as a hash of their address. Requests with the same text
   * are limited together. 1 to 255 characters. No control or bidirectional characters.
   */
  userIdentifier?: string;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
  emailCustomization?: EmailCustomizationParams;
};

/** Parameters of `ACTIVITY_TYPE_INIT_OTP_AUTH_V2`. */
export type InitOtpAuthIntentV2 = {
  /** Whether the code is sent by email or by SMS. */
  otpType: "OTP_TYPE_SMS" | "OTP_TYPE_EMAIL";
  /**
   * Where the code is sent: an email address, or a phone number in E.164 form. 1 to 254 characters.
   * No control or bidirectional characters.
   */
  contact: string;
  smsCustomization?: SmsCustomizationParams;
  /**
   * Opaque text about whoever asks, such as a hash of their address. Requests with the same text
   * are limited together. 1 to 255 characters. No control or bidirectional characters.
   */
  userIdentifier?: string;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
  /** Number of characters in the code, from 6 to 9. The default is 9. */
  otpLength?: number;
  /** Whether the code has letters too (Crockford's base32). The default is true. */
  alphanumeric?: boolean;
  emailCustomization?: EmailCustomizationParams;
};

/** Parameters of `ACTIVITY_TYPE_INIT_OTP_AUTH_V3`. */
export type InitOtpAuthIntentV3 = {
  /** Whether the code is sent by email or by SMS. */
  otpType: "OTP_TYPE_SMS" | "OTP_TYPE_EMAIL";
  /**
   * Where the code is sent: an email address, or a phone number in E.164 form. 1 to 254 characters.
   * No control or bidirectional characters.
   */
  contact: string;
  smsCustomization?: SmsCustomizationParams;
  /**
   * Opaque text about whoever asks, such as a hash of their address. Requests with the same text
   * are limited together. 1 to 255 characters. No control or bidirectional characters.
   */
  userIdentifier?: string;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
  /** Number of characters in the code, from 6 to 9. The default is 9. */
  otpLength?: number;
  /** Whether the code has letters too (Crockford's base32). The default is true. */
  alphanumeric?: boolean;
  /** Lifetime of the code in seconds, as a decimal string: at most 600, and 300 by default. */
  expirationSeconds?: string | number;
  /**
   * Name of the application, as the message shows it. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  appName: string;
  emailCustomization?: EmailCustomizationParamsV2;
};

/** Request of “Init OTP auth”. */
export type InitOtpAuthRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_INIT_OTP_AUTH" | "ACTIVITY_TYPE_INIT_OTP_AUTH_V2" | "ACTIVITY_TYPE_INIT_OTP_AUTH_V3";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: InitOtpAuthIntent | InitOtpAuthIntentV2 | InitOtpAuthIntentV3;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Init OTP auth”. */
export type InitOtpAuthResult = {
  /** Unique identifier of the code. A UUID. */
  otpId: string;
};

/** Result of “Init OTP auth”. */
export type InitOtpAuthResultV2 = {
  /** Unique identifier of the code. A UUID. */
  otpId: string;
};

/** Parameters of `ACTIVITY_TYPE_INIT_OTP`. */
export type InitOtpIntent = {
  /** Whether the code is sent by email or by SMS. */
  otpType: "OTP_TYPE_SMS" | "OTP_TYPE_EMAIL";
  /**
   * Where the code is sent: an email address, or a phone number in E.164 form. 1 to 254 characters.
   * No control or bidirectional characters.
   */
  contact: string;
  smsCustomization?: SmsCustomizationParams;
  /**
   * Opaque text about whoever asks, such as a hash of their address. Requests with the same text
   * are limited together. 1 to 255 characters. No control or bidirectional characters.
   */
  userIdentifier?: string;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
  /** Number of characters in the code, from 6 to 9. The default is 9. */
  otpLength?: number;
  /** Whether the code has letters too (Crockford's base32). The default is true. */
  alphanumeric?: boolean;
  /** Lifetime of the code in seconds, as a decimal string: at most 600, and 300 by default. */
  expirationSeconds?: string | number;
  emailCustomization?: EmailCustomizationParams;
};

/** Parameters of `ACTIVITY_TYPE_INIT_OTP_V2`. */
export type InitOtpIntentV2 = {
  /** Whether the code is sent by email or by SMS. */
  otpType: "OTP_TYPE_SMS" | "OTP_TYPE_EMAIL";
  /**
   * Where the code is sent: an email address, or a phone number in E.164 form. 1 to 254 characters.
   * No control or bidirectional characters.
   */
  contact: string;
  smsCustomization?: SmsCustomizationParams;
  /**
   * Opaque text about whoever asks, such as a hash of their address. Requests with the same text
   * are limited together. 1 to 255 characters. No control or bidirectional characters.
   */
  userIdentifier?: string;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
  /** Number of characters in the code, from 6 to 9. The default is 9. */
  otpLength?: number;
  /** Whether the code has letters too (Crockford's base32). The default is true. */
  alphanumeric?: boolean;
  /** Lifetime of the code in seconds, as a decimal string: at most 600, and 300 by default. */
  expirationSeconds?: string | number;
  /**
   * Name of the application, as the message shows it. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  appName: string;
  emailCustomization?: EmailCustomizationParamsV2;
};

/** Parameters of `ACTIVITY_TYPE_INIT_OTP_V3`. */
export type InitOtpIntentV3 = {
  /** Whether the code is sent by email or by SMS. */
  otpType: "OTP_TYPE_SMS" | "OTP_TYPE_EMAIL";
  /**
   * Where the code is sent: an email address, or a phone number in E.164 form. 1 to 254 characters.
   * No control or bidirectional characters.
   */
  contact: string;
  smsCustomization?: SmsCustomizationParams;
  /**
   * Opaque text about whoever asks, such as a hash of their address. Requests with the same text
   * are limited together. 1 to 255 characters. No control or bidirectional characters.
   */
  userIdentifier?: string;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
  /** Number of characters in the code, from 6 to 9. The default is 9. */
  otpLength?: number;
  /** Whether the code has letters too (Crockford's base32). The default is true. */
  alphanumeric?: boolean;
  /** Lifetime of the code in seconds, as a decimal string: at most 600, and 300 by default. */
  expirationSeconds?: string | number;
  /**
   * Name of the application, as the message shows it. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  appName: string;
  emailCustomization?: EmailCustomizationParamsV2;
};

/** Request of “Init generic OTP”. */
export type InitOtpRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_INIT_OTP" | "ACTIVITY_TYPE_INIT_OTP_V2" | "ACTIVITY_TYPE_INIT_OTP_V3";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: InitOtpIntent | InitOtpIntentV2 | InitOtpIntentV3;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Init generic OTP”. */
export type InitOtpResult = {
  /** Unique identifier of the code. A UUID. */
  otpId: string;
};

/** Result of “Init generic OTP”. */
export type InitOtpResultV2 = {
  /** Unique identifier of the code. A UUID. */
  otpId: string;
  /**
   * The key to which the client encrypts the code, signed with the `verificationPublicKey` of
   * /.well-known/keyhearth.json, as JSON text that client libraries read.
   */
  otpEncryptionTargetBundle: string;
};

/** Parameters of `ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY`. */
export type InitUserEmailRecoveryIntent = {
  /** Email address of the user. Up to 254 characters. */
  email: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Lifetime of the recovery key in seconds, as a decimal string. 900 by default. 1 to
   * 9,999,999,999.
   */
  expirationSeconds?: string | number;
  emailCustomization?: EmailCustomizationParams;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
};

/** Parameters of `ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2`. */
export type InitUserEmailRecoveryIntentV2 = {
  /** Email address of the user. Up to 254 characters. */
  email: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Lifetime of the recovery key in seconds, as a decimal string. 900 by default. 1 to
   * 9,999,999,999.
   */
  expirationSeconds?: string | number;
  emailCustomization: EmailAuthCustomizationParams;
  /**
   * Sender's address. It must be on a domain that the operator allows; otherwise it is ignored, and
   * so are the sender's name and the address for replies. Up to 254 characters. An email address.
   */
  sendFromEmailAddress?: string;
  /**
   * Sender's name. `Notifications` by default. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sendFromEmailSenderName?: string;
  /** Address for replies. Up to 254 characters. An email address. */
  replyToEmailAddress?: string;
};

/** Request of “Init email recovery”. */
export type InitUserEmailRecoveryRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY" | "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: InitUserEmailRecoveryIntent | InitUserEmailRecoveryIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Init email recovery”. */
export type InitUserEmailRecoveryResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** What the request asked for, under the one key that belongs to the activity's type. */
export type Intent = {
  acceptInvitationIntent?: AcceptInvitationIntent;
  acceptInvitationIntentV2?: AcceptInvitationIntentV2;
  approveActivityIntent?: ApproveActivityIntent;
  createApiKeysIntent?: CreateApiKeysIntent;
  createApiKeysIntentV2?: CreateApiKeysIntentV2;
  createAuthenticatorsIntent?: CreateAuthenticatorsIntent;
  createAuthenticatorsIntentV2?: CreateAuthenticatorsIntentV2;
  createInvitationsIntent?: CreateInvitationsIntent;
  createApiOnlyUsersIntent?: CreateApiOnlyUsersIntent;
  createOauth2CredentialIntent?: CreateOauth2CredentialIntent;
  createOauthProvidersIntent?: CreateOauthProvidersIntent;
  createOauthProvidersIntentV2?: CreateOauthProvidersIntentV2;
  createOrganizationIntent?: ShownCreateOrganizationIntent;
  createOrganizationIntentV2?: ShownCreateOrganizationIntentV2;
  createPoliciesIntent?: CreatePoliciesIntent;
  createPolicyIntent?: CreatePolicyIntent;
  createPolicyIntentV2?: CreatePolicyIntentV2;
  createPolicyIntentV3?: CreatePolicyIntentV3;
  createPrivateKeyTagIntent?: CreatePrivateKeyTagIntent;
  createPrivateKeysIntent?: CreatePrivateKeysIntent;
  createPrivateKeysIntentV2?: CreatePrivateKeysIntentV2;
  createReadOnlySessionIntent?: CreateReadOnlySessionIntent;
  createReadWriteSessionIntent?: CreateReadWriteSessionIntent;
  createReadWriteSessionIntentV2?: CreateReadWriteSessionIntentV2;
  createSmartContractInterfaceIntent?: CreateSmartContractInterfaceIntent;
  createSubOrganizationIntent?: CreateSubOrganizationIntent;
  createSubOrganizationIntentV2?: CreateSubOrganizationIntentV2;
  createSubOrganizationIntentV3?: CreateSubOrganizationIntentV3;
  createSubOrganizationIntentV4?: CreateSubOrganizationIntentV4;
  createSubOrganizationIntentV5?: CreateSubOrganizationIntentV5;
  createSubOrganizationIntentV6?: CreateSubOrganizationIntentV6;
  createSubOrganizationIntentV7?: CreateSubOrganizationIntentV7;
  createSubOrganizationIntentV8?: CreateSubOrganizationIntentV8;
  createUserTagIntent?: CreateUserTagIntent;
  createUsersIntent?: CreateUsersIntent;
  createUsersIntentV2?: CreateUsersIntentV2;
  createUsersIntentV3?: CreateUsersIntentV3;
  createUsersIntentV4?: CreateUsersIntentV4;
  createWalletIntent?: CreateWalletIntent;
  createWalletAccountsIntent?: CreateWalletAccountsIntent;
  deleteApiKeysIntent?: DeleteApiKeysIntent;
  deleteAuthenticatorsIntent?: DeleteAuthenticatorsIntent;
  deleteOrganizationIntent?: DeleteOrganizationIntent;
  deleteInvitationIntent?: DeleteInvitationIntent;
  deleteOauth2CredentialIntent?: DeleteOauth2CredentialIntent;
  deleteOauthProvidersIntent?: DeleteOauthProvidersIntent;
  deletePoliciesIntent?: DeletePoliciesIntent;
  deletePolicyIntent?: DeletePolicyIntent;
  deletePrivateKeyTagsIntent?: DeletePrivateKeyTagsIntent;
  deletePrivateKeysIntent?: DeletePrivateKeysIntent;
  deleteSmartContractInterfaceIntent?: DeleteSmartContractInterfaceIntent;
  deleteSubOrganizationIntent?: DeleteSubOrganizationIntent;
  deleteUserTagsIntent?: DeleteUserTagsIntent;
  deleteUsersIntent?: DeleteUsersIntent;
  deleteWalletAccountsIntent?: DeleteWalletAccountsIntent;
  deleteWalletsIntent?: DeleteWalletsIntent;
  emailAuthIntent?: EmailAuthIntent;
  emailAuthIntentV2?: EmailAuthIntentV2;
  emailAuthIntentV3?: EmailAuthIntentV3;
  exportPrivateKeyIntent?: ExportPrivateKeyIntent;
  exportWalletIntent?: ExportWalletIntent;
  exportWalletAccountIntent?: ExportWalletAccountIntent;
  importPrivateKeyIntent?: ImportPrivateKeyIntent;
  importWalletIntent?: ImportWalletIntent;
  initImportPrivateKeyIntent?: InitImportPrivateKeyIntent;
  initImportWalletIntent?: InitImportWalletIntent;
  initOtpIntent?: InitOtpIntent;
  initOtpIntentV2?: InitOtpIntentV2;
  initOtpIntentV3?: InitOtpIntentV3;
  initOtpAuthIntent?: InitOtpAuthIntent;
  initOtpAuthIntentV2?: InitOtpAuthIntentV2;
  initOtpAuthIntentV3?: InitOtpAuthIntentV3;
  initUserEmailRecoveryIntent?: InitUserEmailRecoveryIntent;
  initUserEmailRecoveryIntentV2?: InitUserEmailRecoveryIntentV2;
  logOutEverywhereIntent?: LogOutEverywhereIntent;
  otpAuthIntent?: OtpAuthIntent;
  otpLoginIntent?: OtpLoginIntent;
  otpLoginIntentV2?: OtpLoginIntentV2;
  oauthIntent?: OauthIntent;
  oauthLoginIntent?: OauthLoginIntent;
  oauth2AuthenticateIntent?: Oauth2AuthenticateIntent;
  recoverUserIntent?: RecoverUserIntent;
  rejectActivityIntent?: RejectActivityIntent;
  removeOrganizationFeatureIntent?: RemoveOrganizationFeatureIntent;
  setOrganizationFeatureIntent?: SetOrganizationFeatureIntent;
  signRawPayloadIntent?: SignRawPayloadIntent;
  signRawPayloadIntentV2?: SignRawPayloadIntentV2;
  signRawPayloadsIntent?: SignRawPayloadsIntent;
  signTransactionIntent?: SignTransactionIntent;
  signTransactionIntentV2?: SignTransactionIntentV2;
  updateOauth2CredentialIntent?: UpdateOauth2CredentialIntent;
  updateOrganizationNameIntent?: UpdateOrganizationNameIntent;
  stampLoginIntent?: StampLoginIntent;
  updatePolicyIntent?: UpdatePolicyIntent;
  updatePolicyIntentV2?: UpdatePolicyIntentV2;
  updatePrivateKeyTagIntent?: UpdatePrivateKeyTagIntent;
  updateRootQuorumIntent?: UpdateRootQuorumIntent;
  updateUserIntent?: UpdateUserIntent;
  updateUserEmailIntent?: UpdateUserEmailIntent;
  updateUserNameIntent?: UpdateUserNameIntent;
  updateUserPhoneNumberIntent?: UpdateUserPhoneNumberIntent;
  updateUserTagIntent?: UpdateUserTagIntent;
  updateWalletIntent?: UpdateWalletIntent;
  createWebhookEndpointIntent?: CreateWebhookEndpointIntent;
  updateWebhookEndpointIntent?: UpdateWebhookEndpointIntent;
  deleteWebhookEndpointIntent?: DeleteWebhookEndpointIntent;
  resendWebhookDeliveryIntent?: ResendWebhookDeliveryIntent;
  verifyOtpIntent?: VerifyOtpIntent;
  verifyOtpIntentV2?: VerifyOtpIntentV2;
};

/** An invitation to become a user. */
export type Invitation = {
  /** Unique identifier of the invitation. A UUID. */
  invitationId: string;
  /** Name that the invited person gets as a user. */
  receiverUserName: string;
  /** Email address of the invited person. */
  receiverEmail: string;
  /** Ids of the tags that the user gets. */
  receiverUserTags: string[];
  accessType: AccessType;
  status: InvitationStatus;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /** The user who sent the invitation. A UUID. */
  senderUserId: string;
};

/** A person to invite. */
export type InvitationParams = {
  /**
   * Name that the new user will have. 1 to 255 characters. No control or bidirectional characters.
   */
  receiverUserName: string;
  /** Email address of the new user, to which the token is sent. Up to 254 characters. */
  receiverUserEmail: string;
  /** Ids of the tags that the new user will have. Up to 100 UUIDs. */
  receiverUserTags: string[];
  accessType: AccessType;
  /** Id of the user in whose name the invitation is sent. A UUID. */
  senderUserId: string;
};

/** Status of the invitation. Those that ended are no longer listed. */
export type InvitationStatus =
  | "INVITATION_STATUS_CREATED"
  | "INVITATION_STATUS_ACCEPTED"
  | "INVITATION_STATUS_REVOKED";

/** Request of “List OAuth 2.0 credentials”. */
export type ListOauth2CredentialsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List OAuth 2.0 credentials”. */
export type ListOauth2CredentialsResponse = {
  /** The credentials. */
  oauth2Credentials: Oauth2Credential[];
};

/** Request of “List private key tags”. */
export type ListPrivateKeyTagsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List private key tags”. */
export type ListPrivateKeyTagsResponse = {
  /** The tags, oldest first. */
  privateKeyTags: Tag[];
};

/** Request of “List user tags”. */
export type ListUserTagsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List user tags”. */
export type ListUserTagsResponse = {
  /** The tags, oldest first. */
  userTags: Tag[];
};

/** Request of “List webhook deliveries”. */
export type ListWebhookDeliveriesRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Only deliveries to this endpoint. If absent, to all. A UUID. */
  endpointId?: string;
  status?: WebhookDeliveryStatus;
  paginationOptions?: Pagination;
};

/** Answer of “List webhook deliveries”. */
export type ListWebhookDeliveriesResponse = {
  /** The deliveries, newest first. */
  deliveries: WebhookDelivery[];
};

/** Request of “List webhook endpoints”. */
export type ListWebhookEndpointsRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
};

/** Answer of “List webhook endpoints”. */
export type ListWebhookEndpointsResponse = {
  /** The endpoints. */
  webhookEndpoints: WebhookEndpointData[];
};

/** Parameters of `ACTIVITY_TYPE_LOG_OUT_EVERYWHERE`. */
export type LogOutEverywhereIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Request of “Log out everywhere”. */
export type LogOutEverywhereRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: LogOutEverywhereIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Log out everywhere”. */
export type LogOutEverywhereResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** A rule that requires further authentication from a user. */
export type MfaPolicy = {
  /** Unique identifier of the policy. */
  mfaPolicyId: string;
  /** Name of the policy. */
  mfaPolicyName: string;
  /** When the policy applies. */
  condition: string;
  /** Requirements, all of which must be satisfied. */
  requiredAuthenticationMethods: RequiredAuthenticationMethod[];
  /** Position among the user's policies. */
  order: number;
  /** Notes about the policy. */
  notes?: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
};

/**
 * Language of the words. By default, that of the wallet. In any other language the words encode the
 * same entropy, but they restore other keys.
 */
export type MnemonicLanguage =
  | "MNEMONIC_LANGUAGE_ENGLISH"
  | "MNEMONIC_LANGUAGE_SIMPLIFIED_CHINESE"
  | "MNEMONIC_LANGUAGE_TRADITIONAL_CHINESE"
  | "MNEMONIC_LANGUAGE_CZECH"
  | "MNEMONIC_LANGUAGE_FRENCH"
  | "MNEMONIC_LANGUAGE_ITALIAN"
  | "MNEMONIC_LANGUAGE_JAPANESE"
  | "MNEMONIC_LANGUAGE_KOREAN"
  | "MNEMONIC_LANGUAGE_SPANISH";

/** Parameters of `ACTIVITY_TYPE_OAUTH2_AUTHENTICATE`. */
export type Oauth2AuthenticateIntent = {
  /** The credential of the provider. A UUID. */
  oauth2CredentialId: string;
  /**
   * The code with which the provider sent the person back to your page. 1 to 4,096 characters.
   * Visible ASCII characters.
   */
  authCode: string;
  /**
   * Where the provider sent the person back to, exactly as your page asked for it. 1 to 2,048
   * characters. Visible ASCII characters.
   */
  redirectUri: string;
  /**
   * The verifier of PKCE (RFC 7636) whose digest your page sent to the provider. If it ends with
   * `~` and 64 hex digits, these must be the `nonce`: then nobody who carries the request can use
   * the code for another nonce. 1 to 256 characters. Visible ASCII characters.
   */
  codeVerifier: string;
  /**
   * What the token has as its `nonce`. For a login it is the SHA-256 digest of the text of the
   * public key that will log in, in lower-case hex. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  nonce: string;
  /**
   * Public key to which the provider’s own token is encrypted, as the claim
   * `encrypted_bearer_token`. Without it, nobody gets that token. In hex.
   */
  bearerTokenTargetPublicKey?: string;
};

/** Request of “OAuth 2.0 authentication”. */
export type Oauth2AuthenticateRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: Oauth2AuthenticateIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “OAuth 2.0 authentication”. */
export type Oauth2AuthenticateResult = {
  /** The token, which says who the person is at the provider. 1 to 16,384 characters. */
  oidcToken: string;
};

/** A client of a provider that only speaks OAuth 2.0. Its secret stays encrypted. */
export type Oauth2Credential = {
  /** Unique identifier of the OAuth 2.0 credential. A UUID. */
  oauth2CredentialId: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  provider: Oauth2Provider;
  /** The id that the provider gave to your application. Up to 255 characters. */
  clientId: unknown & unknown;
  /**
   * The secret, as it was encrypted to the service’s quorum public key. Up to 1,730 characters. In
   * lower-case hex.
   */
  encryptedClientSecret: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
};

/** A provider that only speaks OAuth 2.0. */
export type Oauth2Provider = "OAUTH2_PROVIDER_X" | "OAUTH2_PROVIDER_DISCORD";

/** Parameters of `ACTIVITY_TYPE_OAUTH`. */
export type OauthIntent = {
  /** OpenID Connect ID token, as the provider issued it. 1 to 16,384 characters. */
  oidcToken: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Name of the session's key. `Oauth` and the time by default. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  apiKeyName?: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
};

/** Parameters of `ACTIVITY_TYPE_OAUTH_LOGIN`. */
export type OauthLoginIntent = {
  /** OpenID Connect ID token, as the provider issued it. 1 to 16,384 characters. */
  oidcToken: string;
  /** Public key of the session, made by the client: P-256, compressed, in hex. */
  publicKey: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
  /** Must be absent: a session profile is not supported by this version of the service. */
  sessionProfileId?: string;
};

/** Request of “Log in with an OIDC token”. */
export type OauthLoginRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_OAUTH_LOGIN";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: OauthLoginIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Log in with an OIDC token”. */
export type OauthLoginResult = {
  /**
   * A signed JWT that describes the session. It authenticates nobody: the key of the session stamps
   * requests. Its claim `proof_digest` is the SHA-256 of what proved who logs in, so that the
   * client recognizes the answer to its own login. After a login with `X-Stamp-Attested`,
   * `attestation_digest` is the SHA-256 of the token in that header.
   */
  session: string;
};

/** A social login of a user. */
export type OauthProvider = {
  /** Unique identifier of the OAuth provider. A UUID. */
  providerId: string;
  /** Name of the provider. */
  providerName: string;
  /** Issuer of the identity (`iss`). */
  issuer: string;
  /** Audience of the identity (`aud`). */
  audience: string;
  /** Subject of the identity (`sub`). */
  subject: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
};

/** A social login to register, by token. */
export type OauthProviderParams = {
  /** Name of the provider. 1 to 255 characters. No control or bidirectional characters. */
  providerName: string;
  /** OpenID Connect ID token, as the provider issued it. 1 to 16,384 characters. */
  oidcToken: string;
};

/** A social login to register: by token, or by claims. */
export type OauthProviderParamsV2 = {
  /** Name of the provider. 1 to 255 characters. No control or bidirectional characters. */
  providerName: string;
  /** OpenID Connect ID token, as the provider issued it. 1 to 16,384 characters. */
  oidcToken?: string;
  oidcClaims?: OidcClaims;
};

/** Request of “OAuth”. */
export type OauthRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_OAUTH";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: OauthIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “OAuth”. */
export type OauthResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Unique identifier of the API key. A UUID. */
  apiKeyId: string;
  /** The private key of the session, encrypted to your key, in base58 with a checksum. */
  credentialBundle: string;
};

/** Claims to trust instead of a token. Nothing proves that they are the user's. */
export type OidcClaims = {
  /** Issuer, exactly as in tokens. 1 to 255 characters. No control or bidirectional characters. */
  iss: string;
  /**
   * Subject: the person, as the issuer names them. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  sub: string;
  /**
   * Audience: your client id at the issuer. 1 to 255 characters. No control or bidirectional
   * characters.
   */
  aud: string;
};

/** How a selector compares its subject. */
export type Operator =
  | "OPERATOR_EQUAL"
  | "OPERATOR_MORE_THAN"
  | "OPERATOR_MORE_THAN_OR_EQUAL"
  | "OPERATOR_LESS_THAN"
  | "OPERATOR_LESS_THAN_OR_EQUAL"
  | "OPERATOR_CONTAINS"
  | "OPERATOR_NOT_EQUAL"
  | "OPERATOR_IN"
  | "OPERATOR_NOT_IN"
  | "OPERATOR_CONTAINS_ONE"
  | "OPERATOR_CONTAINS_ALL";

/** An organization as a whole. */
export type OrganizationData = {
  /** Unique identifier of the organization. A UUID. */
  organizationId?: string;
  /** Name of the organization. */
  name?: string;
  /** All users. */
  users?: User[];
  /** All policies. */
  policies?: Policy[];
  /** All private keys. */
  privateKeys?: PrivateKey[];
  /** Invitations that can be accepted. */
  invitations?: Invitation[];
  /** All tags, of users and of private keys. */
  tags?: Tag[];
  rootQuorum?: Quorum;
  /** Features that are switched on. */
  features?: Feature[];
  /** All wallets. */
  wallets?: Wallet[];
  /** All contract interfaces. */
  smartContractInterfaceReferences?: SmartContractInterfaceReference[];
};

/** Parameters of `ACTIVITY_TYPE_OTP_AUTH`. */
export type OtpAuthIntent = {
  /** Unique identifier of the code. A UUID. */
  otpId: string;
  /** The code, in either case. O counts as 0, and I and L as 1. 1 to 64 characters. */
  otpCode: string;
  /**
   * Your P-256 public key, to which the secret is encrypted, in hex: 130 characters uncompressed,
   * or 66 compressed.
   */
  targetPublicKey: string;
  /**
   * Name of the key. `OTP Auth` and the time by default. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  apiKeyName?: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
};

/** Request of “OTP auth”. */
export type OtpAuthRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_OTP_AUTH";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: OtpAuthIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “OTP auth”. */
export type OtpAuthResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Unique identifier of the API key. A UUID. */
  apiKeyId?: string;
  /** The private key of the session, encrypted to your key, in base58 with a checksum. */
  credentialBundle?: string;
};

/** Parameters of `ACTIVITY_TYPE_OTP_LOGIN`. */
export type OtpLoginIntent = {
  /**
   * A token from verify_otp, which proves that the contact is the user's. Up to 4,096 characters.
   */
  verificationToken: string;
  /** Public key of the session, made by the client: P-256, compressed, in hex. */
  publicKey: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
  /** Must be absent: a session profile is not supported by this version of the service. */
  sessionProfileId?: string;
  clientSignature?: ClientSignature;
};

/** Parameters of `ACTIVITY_TYPE_OTP_LOGIN_V2`. */
export type OtpLoginIntentV2 = {
  /**
   * A token from verify_otp, which proves that the contact is the user's. Up to 4,096 characters.
   */
  verificationToken: string;
  /** Public key of the session, made by the client: P-256, compressed, in hex. */
  publicKey: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
  /** Must be absent: a session profile is not supported by this version of the service. */
  sessionProfileId?: string;
  clientSignature: ClientSignature;
};

/** Request of “Login with OTP”. */
export type OtpLoginRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_OTP_LOGIN" | "ACTIVITY_TYPE_OTP_LOGIN_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: OtpLoginIntent | OtpLoginIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Login with OTP”. */
export type OtpLoginResult = {
  /**
   * A signed JWT that describes the session. It authenticates nobody: the key of the session stamps
   * requests. Its claim `proof_digest` is the SHA-256 of what proved who logs in, so that the
   * client recognizes the answer to its own login. After a login with `X-Stamp-Attested`,
   * `attestation_digest` is the SHA-256 of the token in that header.
   */
  session: string;
};

/** Outcome of one policy, or of all of them together. */
export type Outcome =
  | "OUTCOME_ALLOW"
  | "OUTCOME_DENY_EXPLICIT"
  | "OUTCOME_DENY_IMPLICIT"
  | "OUTCOME_REQUIRES_CONSENSUS"
  | "OUTCOME_REJECTED"
  | "OUTCOME_ERROR"
  | "OUTCOME_REQUIRES_AUTHENTICATORS"
  | "OUTCOME_TIME_INACTIVE";

/** Which part of a long list to return. */
export type Pagination = {
  /** Maximum number of objects to return, `1` to `100`, as a decimal string. Default `10`. */
  limit?: string;
  /** Id of an object. The page holds objects created before it. */
  before?: string;
  /** Id of an object. The page holds objects created after it. */
  after?: string;
};

/** Format of the derivation path. */
export type PathFormat = "PATH_FORMAT_BIP32";

/**
 * The format of the payload. EIP712 is typed data as JSON. EIP7702_AUTHORIZATION is JSON with
 * `chainId`, `address` and `nonce`. The service reads both, shows them to policies and computes
 * their digest.
 */
export type PayloadEncoding =
  | "PAYLOAD_ENCODING_HEXADECIMAL"
  | "PAYLOAD_ENCODING_TEXT_UTF8"
  | "PAYLOAD_ENCODING_EIP712"
  | "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION";

/** A rule that allows or denies the requests that its condition, consensus and time all match. */
export type Policy = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
  /** Name of the policy. */
  policyName: string;
  effect: Effect;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /** Notes about the policy; empty if there are none. */
  notes: string;
  /** Who must agree. If empty, no further approval is needed. */
  consensus: string;
  /** Which requests the policy applies to. If empty, all of them. */
  condition: string;
  /** When the policy applies. If absent, always. */
  time?: string;
};

/** Outcome of the policies when a vote was counted. */
export type PolicyEvaluation = {
  /** Unique identifier of the evaluation. */
  id: string;
  /** Unique identifier of the activity. */
  activityId: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** The vote that was counted; empty for a request that was denied. */
  voteId: string;
  /** Outcome of each policy; empty if the root quorum decided. */
  policyEvaluations: PolicyOutcome[];
  /** When the policies were evaluated. */
  createdAt: Timestamp;
};

/** Outcome of one policy. */
export type PolicyOutcome = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
  outcome: Outcome;
  /** One trace for each clause of the policy, if the request asked for traces. */
  trace?: PolicyTrace[];
};

/** Why a clause of a policy has the value that it has. */
export type PolicyTrace = {
  /** Which clause of the policy. */
  clause: "condition" | "consensus" | "time";
  /** Its value; absent if it has none. */
  value?: boolean;
  /** Why the clause has no value. */
  error?: string;
  /** The parts that decided, from the whole inwards. */
  steps: PolicyTraceStep[];
  /** Whether further parts were left out. */
  isCut: boolean;
};

/** A part of a clause whose value decided the value of the part around it. */
export type PolicyTraceStep = {
  /** Where the part begins in the clause's text, in UTF-16 code units. */
  start: number;
  /** Where it ends: the position of the first code unit after it. */
  end: number;
  /** How many deciding parts enclose it. */
  depth: number;
  /** The part of the clause, cut after 200 characters. */
  text: string;
  /** Its value, written as in a policy. */
  value?: string;
  /** Why it has no value. */
  error?: string;
  /** Inside `all`, `any` and `filter`: the variables and their values. */
  bindings?: Record<string, string>;
};

/** A hazard in a policy that was created or changed. */
export type PolicyWarning = {
  /** Kind of the hazard. */
  code: string;
  /** Which part of the policy may not do what it seems to do, and how to fix it. */
  message: string;
  /**
   * Unique identifier of the policy. Empty until the activity that creates the policy has
   * completed, because the policy has no id before that.
   */
  policyId: string;
  /** The clause of the policy that the warning is about. */
  clause: "condition" | "consensus" | "time";
  /** Where the hazard begins in the clause, in UTF-16 code units from 0. */
  start: number;
  /** Where it ends: the position of the first code unit after it. */
  end: number;
};

/** A private key that does not belong to a wallet. The key itself never leaves the signer. */
export type PrivateKey = {
  /** Unique identifier of the private key. A UUID. */
  privateKeyId: string;
  /** Public key: hex, compressed for ECDSA curves. */
  publicKey: string;
  /** Name of the private key. */
  privateKeyName: string;
  curve: Curve;
  /** Addresses in the formats requested when the key was created. */
  addresses: PrivateKeyAddress[];
  /** Ids of the private key's tags. */
  privateKeyTags: string[];
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /** Whether it was ever exported. */
  exported: boolean;
  /** Whether it was imported. */
  imported: boolean;
};

/** An address of a private key, with its format and proof. */
export type PrivateKeyAddress = {
  format: AddressFormat;
  /** The address, in the form that its chain uses. */
  address: string;
  /**
   * Signed statement that the address belongs to the key. The signer signed it when the key was
   * created. Absent only in lists that would be too long with it.
   */
  proof?: AppProof;
};

/** A private key to create. */
export type PrivateKeyParams = {
  /**
   * Name of the private key, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  privateKeyName: string;
  curve: Curve;
  /** Ids of the tags to add to the private key. Up to 100 UUIDs. */
  privateKeyTags: string[];
  /** Formats in which to create the address of the key. Up to 100 entries. */
  addressFormats: AddressFormat[];
};

/** A private key that was created. */
export type PrivateKeyResult = {
  /** Unique identifier of the private key. A UUID. */
  privateKeyId?: string;
  /** The addresses in the requested formats. */
  addresses?: Address[];
};

/** The browser's credential. */
export type PublicKeyCredentialWithAttestation = {
  /** Credential id, base64url. Up to 256 characters. */
  id: string;
  /** Always `public-key`. */
  type: "public-key";
  /** Credential id, base64url. Up to 256 characters. */
  rawId: string;
  /** Whether the authenticator is built in. */
  authenticatorAttachment?: "cross-platform" | "platform";
  response: AuthenticatorAttestationResponse;
  clientExtensionResults: SimpleClientExtensionResults;
};

/** The root quorum: users who together may do everything. */
export type Quorum = {
  /** How many of the users must agree. */
  threshold: number;
  /** Ids of the root users. */
  userIds: string[];
};

/** A statement about an activity, or its hash, and its place in the log. */
export type Receipt = {
  /**
   * The exact text about the activity. Absent if a later version of the activity has replaced this
   * one.
   */
  statement?: string;
  /** Merkle leaf hash of the statement, hex. Present if the statement is absent. */
  leafHash?: string;
  /** Number of the segment. */
  segment: number;
  /** Index of the leaf in the segment. */
  index: number;
  /** Merkle path from the leaf to the segment's root, each node as hex. */
  path: string[];
};

/** The key that signs segments, certified by the quorum key. */
export type ReceiptKeyCertificate = {
  /** The receipt key: a compressed P-256 point, hex. */
  publicKey: string;
  /** The exact text that the quorum key signed. */
  payload: string;
  /** Signature over `payload` by the quorum key: r followed by s, 64 bytes as hex. */
  signature: string;
};

/** Receipts of an organization, as a file that can be verified offline. */
export type ReceiptsFile = {
  /** Version of the format. */
  version: "keyhearth.receipts.v1";
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  receiptKey: ReceiptKeyCertificate;
  /** The segments, by number. */
  segments: SignedSegment[];
  /** The receipts, by segment and index. */
  receipts: Receipt[];
};

/** Parameters of `ACTIVITY_TYPE_RECOVER_USER`. */
export type RecoverUserIntent = {
  /** The passkey to register. */
  authenticator: AuthenticatorParamsV2;
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Request of “Recover a user”. */
export type RecoverUserRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_RECOVER_USER";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: RecoverUserIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Recover a user”. */
export type RecoverUserResult = {
  /** Id of the authenticator, in a list. */
  authenticatorId: string[];
};

/** Parameters of `ACTIVITY_TYPE_REJECT_ACTIVITY`. */
export type RejectActivityIntent = {
  /** Fingerprint of the activity: `sha256:` and the SHA-256 of its request body in hex. */
  fingerprint: string;
};

/** Request of “Reject activity”. */
export type RejectActivityRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_REJECT_ACTIVITY";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: RejectActivityIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Parameters of `ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE`. */
export type RemoveOrganizationFeatureIntent = {
  name: FeatureName;
};

/** Request of “Remove organization feature”. */
export type RemoveOrganizationFeatureRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: RemoveOrganizationFeatureIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Remove organization feature”. */
export type RemoveOrganizationFeatureResult = {
  /** All features of the organization that are left. */
  features: Feature[];
};

/** A requirement that any one of several methods satisfies. */
export type RequiredAuthenticationMethod = {
  /** Any one of these satisfies the requirement. */
  any: AuthenticationMethod[];
};

/** Parameters of `ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY`. */
export type ResendWebhookDeliveryIntent = {
  /** Unique identifier of the webhook delivery. A UUID. */
  deliveryId: string;
};

/** Request of “Resend webhook delivery”. */
export type ResendWebhookDeliveryRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: ResendWebhookDeliveryIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Resend webhook delivery”. */
export type ResendWebhookDeliveryResult = {
  /** Unique identifier of the webhook delivery. A UUID. */
  deliveryId: string;
};

/**
 * The outcome, under the one key that belongs to the activity's type. Empty until the activity has
 * completed.
 */
export type Result = {
  acceptInvitationResult?: AcceptInvitationResult;
  createApiKeysResult?: CreateApiKeysResult;
  createAuthenticatorsResult?: CreateAuthenticatorsResult;
  createInvitationsResult?: CreateInvitationsResult;
  createApiOnlyUsersResult?: CreateApiOnlyUsersResult;
  createOauth2CredentialResult?: CreateOauth2CredentialResult;
  createOauthProvidersResult?: CreateOauthProvidersResult;
  createOauthProvidersResultV2?: CreateOauthProvidersResultV2;
  createOrganizationResult?: CreateOrganizationResult;
  createPoliciesResult?: CreatePoliciesResult;
  createPolicyResult?: CreatePolicyResult;
  createPrivateKeyTagResult?: CreatePrivateKeyTagResult;
  createPrivateKeysResult?: CreatePrivateKeysResult;
  createPrivateKeysResultV2?: CreatePrivateKeysResultV2;
  createReadOnlySessionResult?: CreateReadOnlySessionResult;
  createReadWriteSessionResult?: CreateReadWriteSessionResult;
  createReadWriteSessionResultV2?: CreateReadWriteSessionResultV2;
  createSmartContractInterfaceResult?: CreateSmartContractInterfaceResult;
  createSubOrganizationResult?: CreateSubOrganizationResult;
  createSubOrganizationResultV3?: CreateSubOrganizationResultV3;
  createSubOrganizationResultV4?: CreateSubOrganizationResultV4;
  createSubOrganizationResultV5?: CreateSubOrganizationResultV5;
  createSubOrganizationResultV6?: CreateSubOrganizationResultV6;
  createSubOrganizationResultV7?: CreateSubOrganizationResultV7;
  createSubOrganizationResultV8?: CreateSubOrganizationResultV8;
  createUserTagResult?: CreateUserTagResult;
  createUsersResult?: CreateUsersResult;
  createWalletResult?: CreateWalletResult;
  createWalletAccountsResult?: CreateWalletAccountsResult;
  deleteApiKeysResult?: DeleteApiKeysResult;
  deleteAuthenticatorsResult?: DeleteAuthenticatorsResult;
  deleteOrganizationResult?: DeleteOrganizationResult;
  deleteInvitationResult?: DeleteInvitationResult;
  deleteOauth2CredentialResult?: DeleteOauth2CredentialResult;
  deleteOauthProvidersResult?: DeleteOauthProvidersResult;
  deletePoliciesResult?: DeletePoliciesResult;
  deletePolicyResult?: DeletePolicyResult;
  deletePrivateKeyTagsResult?: DeletePrivateKeyTagsResult;
  deletePrivateKeysResult?: DeletePrivateKeysResult;
  deleteSmartContractInterfaceResult?: DeleteSmartContractInterfaceResult;
  deleteSubOrganizationResult?: DeleteSubOrganizationResult;
  deleteUserTagsResult?: DeleteUserTagsResult;
  deleteUsersResult?: DeleteUsersResult;
  deleteWalletAccountsResult?: DeleteWalletAccountsResult;
  deleteWalletsResult?: DeleteWalletsResult;
  emailAuthResult?: EmailAuthResult;
  exportPrivateKeyResult?: ExportPrivateKeyResult;
  exportWalletResult?: ExportWalletResult;
  exportWalletAccountResult?: ExportWalletAccountResult;
  importPrivateKeyResult?: ImportPrivateKeyResult;
  importWalletResult?: ImportWalletResult;
  initImportPrivateKeyResult?: InitImportPrivateKeyResult;
  initImportWalletResult?: InitImportWalletResult;
  initOtpResult?: InitOtpResult;
  initOtpResultV2?: InitOtpResultV2;
  initOtpAuthResult?: InitOtpAuthResult;
  initOtpAuthResultV2?: InitOtpAuthResultV2;
  initUserEmailRecoveryResult?: InitUserEmailRecoveryResult;
  logOutEverywhereResult?: LogOutEverywhereResult;
  otpAuthResult?: OtpAuthResult;
  otpLoginResult?: OtpLoginResult;
  oauthResult?: OauthResult;
  oauthLoginResult?: OauthLoginResult;
  oauth2AuthenticateResult?: Oauth2AuthenticateResult;
  recoverUserResult?: RecoverUserResult;
  removeOrganizationFeatureResult?: RemoveOrganizationFeatureResult;
  setOrganizationFeatureResult?: SetOrganizationFeatureResult;
  signRawPayloadResult?: SignRawPayloadResult;
  signRawPayloadsResult?: SignRawPayloadsResult;
  signTransactionResult?: SignTransactionResult;
  updateOauth2CredentialResult?: UpdateOauth2CredentialResult;
  updateOrganizationNameResult?: UpdateOrganizationNameResult;
  stampLoginResult?: StampLoginResult;
  updatePolicyResult?: UpdatePolicyResult;
  updatePolicyResultV2?: UpdatePolicyResultV2;
  updatePrivateKeyTagResult?: UpdatePrivateKeyTagResult;
  updateRootQuorumResult?: UpdateRootQuorumResult;
  updateUserResult?: UpdateUserResult;
  updateUserEmailResult?: UpdateUserEmailResult;
  updateUserNameResult?: UpdateUserNameResult;
  updateUserPhoneNumberResult?: UpdateUserPhoneNumberResult;
  updateUserTagResult?: UpdateUserTagResult;
  updateWalletResult?: UpdateWalletResult;
  createWebhookEndpointResult?: CreateWebhookEndpointResult;
  updateWebhookEndpointResult?: UpdateWebhookEndpointResult;
  deleteWebhookEndpointResult?: DeleteWebhookEndpointResult;
  resendWebhookDeliveryResult?: ResendWebhookDeliveryResult;
  verifyOtpResult?: VerifyOtpResult;
};

/** A root user of the sub-organization. */
export type RootUserParams = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParams[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
};

/** A root user of the sub-organization. */
export type RootUserParamsV2 = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParams[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParams[];
};

/** A root user of the sub-organization. */
export type RootUserParamsV3 = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParamsV2[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParams[];
};

/** A root user of the sub-organization. */
export type RootUserParamsV4 = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** Phone number in E.164 form. */
  userPhoneNumber?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParamsV2[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParams[];
};

/** A root user of the sub-organization. */
export type RootUserParamsV5 = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** Phone number in E.164 form. */
  userPhoneNumber?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParamsV2[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParamsV2[];
};

/** One test of a policy in the oldest format. All selectors of a policy must hold. */
export type Selector = {
  /** What is compared, such as `user.id`, `activity.type` or `wallet.id`. */
  subject?: string;
  operator?: Operator;
  /**
   * What the subject is compared with. 1 to 255 characters. No control or bidirectional characters.
   */
  target?: string;
};

/** One test of a policy in the second format. All selectors of a policy must hold. */
export type SelectorV2 = {
  /** What is compared, such as `user.id`, `activity.type` or `wallet.id`. */
  subject?: string;
  operator?: Operator;
  /**
   * What the subject is compared with. Up to 100 entries. Each: 1 to 255 characters, no control or
   * bidirectional characters.
   */
  targets?: string[];
};

/** Parameters of `ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE`. */
export type SetOrganizationFeatureIntent = {
  name: FeatureName;
  /**
   * Value of the feature. For `FEATURE_NAME_WEBAUTHN_ORIGINS`: origins such as
   * `https://app.example.com`, separated by commas. For `FEATURE_NAME_WEBHOOK`: a URL. For
   * `FEATURE_NAME_AUTH_PROXY`: the settings of the login proxy, as JSON text. The other features
   * have none. Up to 2,048 characters. Default: empty.
   */
  value?: string;
};

/** Request of “Set organization feature”. */
export type SetOrganizationFeatureRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: SetOrganizationFeatureIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Set organization feature”. */
export type SetOrganizationFeatureResult = {
  /** All features of the organization. */
  features: Feature[];
};

/** Parameters of `ACTIVITY_TYPE_CREATE_ORGANIZATION` as answers show them. */
export type ShownCreateOrganizationIntent = {
  /** Name of the organization. 1 to 255 characters. No control or bidirectional characters. */
  organizationName: string;
  /** Name of the root user. 1 to 255 characters. No control or bidirectional characters. */
  rootUserName: string;
  /** Email address. Up to 254 characters. */
  rootUserEmail?: string;
  apiKey: ApiKeyParamsV2;
  /** Email address of the root user. Empty if there is none. */
  rootEmail: string;
  rootAuthenticator: ShownRootAuthenticator;
};

/** Parameters of `ACTIVITY_TYPE_CREATE_ORGANIZATION_V2` as answers show them. */
export type ShownCreateOrganizationIntentV2 = {
  /** Name of the organization. 1 to 255 characters. No control or bidirectional characters. */
  organizationName: string;
  /** Email address of the root user. Empty if there is none. */
  rootEmail: string;
  /**
   * Name of the root user. By default the email address, or `Root user`. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  rootUserName?: string;
  /**
   * An API key of the root user, which does not expire. It stamps this request, unless the passkey
   * does.
   */
  rootApiKey?: ApiKeyParamsV2;
  rootAuthenticator: ShownRootAuthenticatorV2;
};

/** The passkey of the root user. All of its texts are empty if there is none. */
export type ShownRootAuthenticator = {
  /** Name of the authenticator. Empty if there is none. */
  authenticatorName: string;
  /** Challenge used at registration, base64url. Empty if there is none. */
  challenge: string;
  /** Unique identifier of the user. Empty if there is none. */
  userId: string;
  /** The browser's credential. */
  attestation: {
    /** Credential id, base64url. Empty if there is none. */
    id: string;
    /** Always `public-key`. */
    type: "public-key";
    /** Credential id, base64url. Empty if there is none. */
    rawId: string;
    /** The authenticator's answer. */
    response: {
      /** Client data, base64url. Empty if there is none. */
      clientDataJson: string;
      /** Attestation object, base64url. Empty if there is none. */
      attestationObject: string;
    };
    /** Client extension results. */
    clientExtensionResults: Record<never, never>;
  };
};

/** The passkey of the root user. All of its texts are empty if there is none. */
export type ShownRootAuthenticatorV2 = {
  /** Name of the authenticator. Empty if there is none. */
  authenticatorName: string;
  /** Challenge used at registration, base64url. Empty if there is none. */
  challenge: string;
  /** What the browser returned at registration. */
  attestation: {
    /** Credential id, base64url. Empty if there is none. */
    credentialId: string;
    /** Client data, base64url. Empty if there is none. */
    clientDataJson: string;
    /** Attestation object, base64url. Empty if there is none. */
    attestationObject: string;
    /** Transports by which the authenticator can be reached. */
    transports: string[];
  };
};

/** Scheme of a statement's signature: ECDSA over P-256 with SHA-256. */
export type SignatureScheme = "SIGNATURE_SCHEME_EPHEMERAL_KEY_P256";

/** A segment of the organization's log. */
export type SignedSegment = {
  /**
   * The exact text that was signed: organization, number, digest of the previous segment, size,
   * Merkle root, and version and digest of the organization's document.
   */
  payload: string;
  /** Signature over `payload` by the receipt key: r followed by s, 64 bytes as hex. */
  signature: string;
};

/** Parameters of `ACTIVITY_TYPE_SIGN_RAW_PAYLOAD`. */
export type SignRawPayloadIntent = {
  /** Unique identifier of the private key. A UUID. */
  privateKeyId: string;
  /** What to sign, in the format that `encoding` names. It must not be empty. */
  payload: string;
  encoding: PayloadEncoding;
  hashFunction: HashFunction;
};

/** Parameters of `ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2`. */
export type SignRawPayloadIntentV2 = {
  /** Address of a wallet account, or address or id of a private key. 1 to 256 characters. */
  signWith: string;
  /** What to sign, in the format that `encoding` names. It must not be empty. */
  payload: string;
  encoding: PayloadEncoding;
  hashFunction: HashFunction;
};

/** Request of “Sign raw payload”. */
export type SignRawPayloadRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD" | "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: SignRawPayloadIntent | SignRawPayloadIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** A signature. */
export type SignRawPayloadResult = {
  /** First half of the signature, 64 hex characters. */
  r: string;
  /** Second half of the signature, 64 hex characters. */
  s: string;
  /** Recovery id, `00` or `01`; `00` for Ed25519 keys and Taproot addresses. */
  v: string;
};

/** Parameters of `ACTIVITY_TYPE_SIGN_RAW_PAYLOADS`. */
export type SignRawPayloadsIntent = {
  /** Address of a wallet account, or address or id of a private key. 1 to 256 characters. */
  signWith: string;
  /**
   * Payloads to sign. The signatures are in the same order. With a Taproot address, at most 100.
   */
  payloads: string[];
  encoding: PayloadEncoding;
  hashFunction: HashFunction;
};

/** Request of “Sign raw payloads”. */
export type SignRawPayloadsRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: SignRawPayloadsIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Sign raw payloads”. */
export type SignRawPayloadsResult = {
  /** Signatures in the order of the payloads. */
  signatures?: SignRawPayloadResult[];
};

/** Parameters of `ACTIVITY_TYPE_SIGN_TRANSACTION`. */
export type SignTransactionIntent = {
  /** Unique identifier of the private key. A UUID. */
  privateKeyId: string;
  /**
   * The transaction in hexadecimal digits, with or without `0x`. Ethereum: the unsigned
   * serialization of a legacy, EIP-2930, EIP-1559, EIP-4844 (without blobs) or EIP-7702
   * transaction. Solana: the whole legacy or v0 transaction with empty signature slots. Tron: the
   * `raw_data_hex` of the transaction. Bitcoin: a PSBT of version 0 or 2. 1 to 262,146 characters.
   */
  unsignedTransaction: string;
  type: TransactionType;
};

/** Parameters of `ACTIVITY_TYPE_SIGN_TRANSACTION_V2`. */
export type SignTransactionIntentV2 = {
  /** Address of a wallet account, or address or id of a private key. 1 to 256 characters. */
  signWith: string;
  /**
   * The transaction in hexadecimal digits, with or without `0x`. Ethereum: the unsigned
   * serialization of a legacy, EIP-2930, EIP-1559, EIP-4844 (without blobs) or EIP-7702
   * transaction. Solana: the whole legacy or v0 transaction with empty signature slots. Tron: the
   * `raw_data_hex` of the transaction. Bitcoin: a PSBT of version 0 or 2. 1 to 262,146 characters.
   */
  unsignedTransaction: string;
  type: TransactionType;
};

/** Request of “Sign transaction”. */
export type SignTransactionRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_SIGN_TRANSACTION" | "ACTIVITY_TYPE_SIGN_TRANSACTION_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: SignTransactionIntent | SignTransactionIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Sign transaction”. */
export type SignTransactionResult = {
  /** The signed transaction in hexadecimal digits, without `0x`. */
  signedTransaction: string;
};

/** Client extension results. */
export type SimpleClientExtensionResults = {
  /** Result of the appid extension. */
  appid?: boolean;
  /** Result of the appidExclude extension. */
  appidExclude?: boolean;
  credProps?: CredPropsAuthenticationExtensionsClientOutputs;
};

/** Request of “Simulate activity”. */
export type SimulateActivityRequest = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** The activity. */
  activity: {
    /** Activity type, with its version. */
    type: string;
    /** Parameters of the activity, as they would be submitted. */
    parameters: Record<string, unknown>;
  };
  /** User who would submit the activity. If absent, the requesting user. A UUID. */
  userId?: string;
  /** Users who would have approved it in addition to the user who submits it. Up to 100 UUIDs. */
  approverUserIds?: string[];
  /** Whether to answer what conditions read of the activity. Default: false. */
  includeContext?: boolean;
};

/** Answer of “Simulate activity”. */
export type SimulateActivityResponse = {
  outcome: Outcome;
  /**
   * What decides the outcome. `rootQuorum`: the root users. `ownCredentials`: the right of users to
   * change their own credentials. `default`: nothing allows the activity.
   */
  reason: "rootQuorum" | "policies" | "ownCredentials" | "default";
  /**
   * Sets of users. The approvals of any one set would allow the activity. At most 20 sets, the
   * smallest first.
   */
  neededApprovals: Array<string[]>;
  /** Whether there may be more sets of approvals than the listed ones. */
  hasMoreApprovals: boolean;
  /** Every policy of the organization; empty if the root quorum decides. */
  evaluations: SimulatedPolicyOutcome[];
  /**
   * What conditions read of the activity, as the context of a policy test has it, if the request
   * set `includeContext`.
   */
  context?: Record<string, unknown>;
};

/** Outcome of one policy, and why. */
export type SimulatedPolicyOutcome = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
  outcome: Outcome;
  /** One trace for each clause of the policy. */
  trace: PolicyTrace[];
};

/**
 * The interface of a smart contract. Policies use it to read the arguments of calls to the
 * contract.
 */
export type SmartContractInterface = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the smart contract interface. A UUID. */
  smartContractInterfaceId: string;
  /** Address of the contract, exactly as submitted. */
  smartContractAddress: string;
  /** The interface as JSON text, exactly as submitted: an Ethereum ABI or an Anchor IDL. */
  smartContractInterface: string;
  /** Which chain the contract is on. */
  type: "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM" | "SMART_CONTRACT_INTERFACE_TYPE_SOLANA";
  /** Name of the interface. */
  label: string;
  /** Notes about the interface; empty if there are none. */
  notes: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
};

/** A contract interface, without its text. */
export type SmartContractInterfaceReference = {
  /** Unique identifier of the smart contract interface. A UUID. */
  smartContractInterfaceId?: string;
  /** Address of the contract. */
  smartContractAddress?: string;
  /** SHA-256 of the text of the interface, in hex. */
  digest?: string;
};

/** The chain of the contract, which determines the format of its interface. */
export type SmartContractInterfaceType =
  | "SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM"
  | "SMART_CONTRACT_INTERFACE_TYPE_SOLANA";

/** How the SMS looks. */
export type SmsCustomizationParams = {
  /**
   * Text of the SMS, with `{{.OtpCode}}`, once, in place of the code. Up to 480 characters. No
   * control characters except tabs and line breaks.
   */
  template?: string;
};

/** Parameters of `ACTIVITY_TYPE_STAMP_LOGIN`. */
export type StampLoginIntent = {
  /** Public key of the session, made by the client: P-256, compressed, in hex. */
  publicKey: string;
  /**
   * Lifetime of the session in seconds, as a decimal string. 900 by default. 1 to 9,999,999,999.
   */
  expirationSeconds?: string | number;
  /** Whether to end the user's other sessions of the same kind. */
  invalidateExisting?: boolean;
  /** Must be absent: a session profile is not supported by this version of the service. */
  sessionProfileId?: string;
};

/** Request of “Log in with a stamp”. */
export type StampLoginRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_STAMP_LOGIN";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: StampLoginIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Log in with a stamp”. */
export type StampLoginResult = {
  /**
   * A signed JWT that describes the session. It authenticates nobody: the key of the session stamps
   * requests. Its claim `proof_digest` is the SHA-256 of what proved who logs in, so that the
   * client recognizes the answer to its own login. After a login with `X-Stamp-Attested`,
   * `attestation_digest` is the SHA-256 of the token in that header.
   */
  session: string;
};

/** Why an activity failed. */
export type Status = {
  /** The error's code as a number. */
  code?: number;
  /** What went wrong. */
  message?: string;
  /** Facts about the error for programs. */
  details?: Any[];
};

/** A tag, which groups users or private keys. */
export type Tag = {
  /** Id of the tag. */
  tagId: string;
  /** Name of the tag. */
  tagName: string;
  tagType: TagType;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
};

/** Whether the tag is for users or for private keys. */
export type TagType = "TAG_TYPE_USER" | "TAG_TYPE_PRIVATE_KEY";

/** A point in time. */
export type Timestamp = {
  /** Seconds since 1970-01-01 UTC, a decimal string. */
  seconds: string;
  /** Nanoseconds within the second, a decimal string. */
  nanos: string;
};

/** The chain of the transaction. */
export type TransactionType =
  | "TRANSACTION_TYPE_ETHEREUM"
  | "TRANSACTION_TYPE_SOLANA"
  | "TRANSACTION_TYPE_TRON"
  | "TRANSACTION_TYPE_BITCOIN"
  | "TRANSACTION_TYPE_TEMPO";

/** Parameters of `ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL`. */
export type UpdateOauth2CredentialIntent = {
  /** Unique identifier of the OAuth 2.0 credential. A UUID. */
  oauth2CredentialId: string;
  provider: Oauth2Provider;
  /** The id that the provider gave to your application. Up to 255 characters. */
  clientId: unknown & unknown;
  /**
   * The secret that the provider gave to your application, encrypted to the first half of the
   * service’s quorum public key, as client libraries do it: `encryptOauth2ClientSecret`. Only the
   * signer opens it. Up to 1,730 characters. In lower-case hex.
   */
  encryptedClientSecret: string;
};

/** Request of “Update OAuth 2.0 credential”. */
export type UpdateOauth2CredentialRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateOauth2CredentialIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update OAuth 2.0 credential”. */
export type UpdateOauth2CredentialResult = {
  /** Unique identifier of the OAuth 2.0 credential. A UUID. */
  oauth2CredentialId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME`. */
export type UpdateOrganizationNameIntent = {
  /**
   * New name of the organization. It need not be unique. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  organizationName: string;
};

/** Request of “Update organization name”. */
export type UpdateOrganizationNameRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateOrganizationNameIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update organization name”. */
export type UpdateOrganizationNameResult = {
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** The new name. */
  organizationName: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_POLICY`. */
export type UpdatePolicyIntent = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
  /**
   * Name of the policy, unique among the policies of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  policyName?: string;
  policyEffect?: Effect;
  /**
   * Expression over the request: what the policy is about. If it is left out, the policy is about
   * every request. An empty string removes the condition.
   */
  policyCondition?: string;
  /**
   * Expression over the approvals so far: who must agree. If it is left out, no further approval is
   * needed. An empty string removes the consensus.
   */
  policyConsensus?: string;
  /**
   * Notes for people, at most 4,096 characters. No control characters except tabs and line breaks.
   */
  policyNotes?: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_POLICY_V2`. */
export type UpdatePolicyIntentV2 = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
  /**
   * Name of the policy, unique among the policies of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  policyName?: string;
  policyEffect?: Effect;
  /**
   * Expression over the request: what the policy is about. If it is left out, the policy is about
   * every request. An empty string removes the condition.
   */
  policyCondition?: string;
  /**
   * Expression over the approvals so far: who must agree. If it is left out, no further approval is
   * needed. An empty string removes the consensus.
   */
  policyConsensus?: string;
  /**
   * Notes for people, at most 4,096 characters. No control characters except tabs and line breaks.
   */
  policyNotes?: string;
  /**
   * Expression over the signer's clock: when the policy applies. If it is left out or empty, the
   * policy always applies.
   */
  time?: string;
};

/** Request of “Update policy”. */
export type UpdatePolicyRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_POLICY" | "ACTIVITY_TYPE_UPDATE_POLICY_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdatePolicyIntent | UpdatePolicyIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update policy”. */
export type UpdatePolicyResult = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
};

/** Result of “Update policy”. */
export type UpdatePolicyResultV2 = {
  /** Unique identifier of the policy. A UUID. */
  policyId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG`. */
export type UpdatePrivateKeyTagIntent = {
  /** Unique identifier of the private key tag. A UUID. */
  privateKeyTagId: string;
  /**
   * New name, unique among the private key tags of the organization. 1 to 255 characters. No
   * control or bidirectional characters.
   */
  newPrivateKeyTagName?: string;
  /** Ids of the private keys to add the tag to. Up to 100 UUIDs. */
  addPrivateKeyIds: string[];
  /** Ids of the private keys to remove the tag from. Up to 100 UUIDs. */
  removePrivateKeyIds: string[];
};

/** Request of “Update private key tag”. */
export type UpdatePrivateKeyTagRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdatePrivateKeyTagIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update private key tag”. */
export type UpdatePrivateKeyTagResult = {
  /** Unique identifier of the private key tag. A UUID. */
  privateKeyTagId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_ROOT_QUORUM`. */
export type UpdateRootQuorumIntent = {
  /** Approvals needed, from 1 to the number of root users. */
  threshold: number;
  /** Ids of all root users. Up to 100 UUIDs. */
  userIds: string[];
};

/** Request of “Update root quorum”. */
export type UpdateRootQuorumRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateRootQuorumIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update root quorum”. */
export type UpdateRootQuorumResult = Record<never, never>;

/** Parameters of `ACTIVITY_TYPE_UPDATE_USER_EMAIL`. */
export type UpdateUserEmailIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** New email address of the user. An empty text removes the address. Up to 254 characters. */
  userEmail: string;
  /**
   * A token from verify_otp, which proves that the contact is the user's. Up to 4,096 characters.
   */
  verificationToken?: string;
};

/** Request of “Update user email”. */
export type UpdateUserEmailRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_USER_EMAIL";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateUserEmailIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update user email”. */
export type UpdateUserEmailResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_USER`. */
export type UpdateUserIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** New name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName?: string;
  /** New email address of the user. Up to 254 characters. */
  userEmail?: string;
  /** Ids of all tags of the user from now on. If it is left out, the tags stay. Up to 100 UUIDs. */
  userTagIds?: string[];
  /** New phone number of the user in E.164 form. */
  userPhoneNumber?: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_USER_NAME`. */
export type UpdateUserNameIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** New name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
};

/** Request of “Update user name”. */
export type UpdateUserNameRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_USER_NAME";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateUserNameIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update user name”. */
export type UpdateUserNameResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER`. */
export type UpdateUserPhoneNumberIntent = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** New phone number of the user in E.164 form. An empty text removes the number. */
  userPhoneNumber: string;
  /**
   * A token from verify_otp, which proves that the contact is the user's. Up to 4,096 characters.
   */
  verificationToken?: string;
};

/** Request of “Update user phone number”. */
export type UpdateUserPhoneNumberRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateUserPhoneNumberIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update user phone number”. */
export type UpdateUserPhoneNumberResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Request of “Update user”. */
export type UpdateUserRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_USER";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateUserIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update user”. */
export type UpdateUserResult = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_USER_TAG`. */
export type UpdateUserTagIntent = {
  /** Unique identifier of the user tag. A UUID. */
  userTagId: string;
  /**
   * New name, unique among the user tags of the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  newUserTagName?: string;
  /** Ids of the users to add the tag to. Up to 100 UUIDs. */
  addUserIds: string[];
  /** Ids of the users to remove the tag from. Up to 100 UUIDs. */
  removeUserIds: string[];
};

/** Request of “Update user tag”. */
export type UpdateUserTagRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_USER_TAG";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateUserTagIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update user tag”. */
export type UpdateUserTagResult = {
  /** Unique identifier of the user tag. A UUID. */
  userTagId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_WALLET`. */
export type UpdateWalletIntent = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /**
   * New name of the wallet, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  walletName?: string;
};

/** Request of “Update wallet”. */
export type UpdateWalletRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_WALLET";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateWalletIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update wallet”. */
export type UpdateWalletResult = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
};

/** Parameters of `ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT`. */
export type UpdateWebhookEndpointIntent = {
  /** Unique identifier of the webhook endpoint. A UUID. */
  endpointId: string;
  /**
   * Where events are sent: an https URL at a public address. The operator can allow private ones.
   * Up to 2,048 characters.
   */
  url?: string;
  /** New name of the endpoint. 1 to 255 characters. No control or bidirectional characters. */
  name?: string;
  /** Whether events are sent. */
  isActive?: boolean;
};

/** Request of “Update webhook endpoint”. */
export type UpdateWebhookEndpointRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: UpdateWebhookEndpointIntent;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Update webhook endpoint”. */
export type UpdateWebhookEndpointResult = {
  /** Unique identifier of the webhook endpoint. A UUID. */
  endpointId: string;
  webhookEndpoint: WebhookEndpointData;
};

/** A person or program that can act in the organization. */
export type User = {
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** Name of the user. */
  userName: string;
  /** Email address of the user, if there is one. */
  userEmail?: string;
  /** Phone number of the user in E.164 form, if there is one. */
  userPhoneNumber?: string;
  /** Passkeys of the user. */
  authenticators: Authenticator[];
  /** API keys of the user that have not expired. */
  apiKeys: ApiKey[];
  /** Ids of the user's tags. */
  userTags: string[];
  /** Social logins of the user. */
  oauthProviders: OauthProvider[];
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /** Rules for further authentication. Always empty in this version of the service. */
  mfaPolicies: MfaPolicy[];
};

/** A user to create. */
export type UserParams = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  accessType: AccessType;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParams[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParams[];
  /** Ids of the tags to add to the user. Up to 100 UUIDs. */
  userTags: string[];
};

/** A user to create. */
export type UserParamsV2 = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParams[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Ids of the tags to add to the user. Up to 100 UUIDs. */
  userTags: string[];
};

/** A user to create. */
export type UserParamsV3 = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** Phone number in E.164 form. */
  userPhoneNumber?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParamsV2[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParams[];
  /** Ids of the tags to add to the user. Up to 100 UUIDs. */
  userTags: string[];
};

/** A user to create. */
export type UserParamsV4 = {
  /** Name of the user. 1 to 255 characters. No control or bidirectional characters. */
  userName: string;
  /** Email address. Up to 254 characters. */
  userEmail?: string;
  /** Phone number in E.164 form. */
  userPhoneNumber?: string;
  /** API keys to register. Up to 100 entries. */
  apiKeys: ApiKeyParamsV2[];
  /** Passkeys to register. Up to 100 entries. */
  authenticators: AuthenticatorParamsV2[];
  /** Social logins to register. Up to 100 entries. */
  oauthProviders: OauthProviderParamsV2[];
  /** Ids of the tags to add to the user. Up to 100 UUIDs. */
  userTags: string[];
};

/** Parameters of `ACTIVITY_TYPE_VERIFY_OTP`. */
export type VerifyOtpIntent = {
  /** Unique identifier of the code. A UUID. */
  otpId: string;
  /** The code, in either case. O counts as 0, and I and L as 1. 1 to 64 characters. */
  otpCode: string;
  /** Lifetime of the token in seconds, as a decimal string: at most 86400, and 3600 by default. */
  expirationSeconds?: string | number;
  /**
   * Public key of the client, which the token then names: P-256, compressed, in hex. Without it,
   * anyone who reads the token can use it.
   */
  publicKey?: string;
};

/** Parameters of `ACTIVITY_TYPE_VERIFY_OTP_V2`. */
export type VerifyOtpIntentV2 = {
  /** Unique identifier of the code. A UUID. */
  otpId: string;
  /**
   * The JSON {"otp_code","public_key"}, encrypted to the key of the bundle that init_otp returned:
   * the code, and the public key of the client in hex, which the token then names. Up to 8,192
   * characters.
   */
  encryptedOtpBundle: string;
  /** Lifetime of the token in seconds, as a decimal string: at most 86400, and 3600 by default. */
  expirationSeconds?: string | number;
};

/** Request of “Verify generic OTP”. */
export type VerifyOtpRequest = {
  /** Type of the activity; it decides the shape of `parameters`. */
  type: "ACTIVITY_TYPE_VERIFY_OTP" | "ACTIVITY_TYPE_VERIFY_OTP_V2";
  /**
   * The current time in milliseconds since 1970-01-01 UTC, as a decimal string. At most one hour in
   * the past and five minutes in the future.
   */
  timestampMs: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** What the activity should do. */
  parameters: VerifyOtpIntent | VerifyOtpIntentV2;
  /** Whether to include a signed statement of the outcome in the answer. */
  generateAppProofs?: boolean;
};

/** Result of “Verify generic OTP”. */
export type VerifyOtpResult = {
  /**
   * A signed JWT: proof that somebody read the code. Together with the key that it names, it logs
   * in whoever has the contact.
   */
  verificationToken: string;
};

/** A user's stamped decision about an activity. */
export type Vote = {
  /** Unique identifier of the vote. */
  id: string;
  /** Unique identifier of the user. A UUID. */
  userId: string;
  /** The voter, as of the time of the vote. */
  user: User;
  /** Unique identifier of the activity. */
  activityId: string;
  /** Whether the user approved or rejected. */
  selection: "VOTE_SELECTION_APPROVED" | "VOTE_SELECTION_REJECTED";
  /** The exact body of the request that was stamped. */
  message: string;
  /** Public key of the stamp. */
  publicKey: string;
  /** Signature of the stamp over `message`, hex. */
  signature: string;
  /** Scheme of the stamp. */
  scheme: string;
  /** When the user voted. */
  createdAt: Timestamp;
};

/** A wallet: one seed, from which accounts are derived. */
export type Wallet = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /** Name of the wallet. */
  walletName: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /** Whether it was ever exported. */
  exported: boolean;
  /** Whether it was imported. */
  imported: boolean;
};

/** An account: a key pair derived from a wallet's seed at a path. */
export type WalletAccount = {
  /** Unique identifier of the wallet account. A UUID. */
  walletAccountId: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  curve: Curve;
  pathFormat: PathFormat;
  /**
   * BIP-32 derivation path: one to ten indexes up to 2147483647, hardened ones with an apostrophe.
   * Up to 131 characters.
   */
  path: string;
  addressFormat: AddressFormat;
  /** The address, in the form that its chain uses. */
  address: string;
  /** When it was created. */
  createdAt: Timestamp;
  /** When it was last changed. */
  updatedAt: Timestamp;
  /** Public key: hex, compressed for ECDSA curves. */
  publicKey?: string;
  /** The wallet, if the request set `includeWalletDetails`. */
  walletDetails?: Wallet;
  /** Name of the account, if it has one. */
  name?: string;
  /**
   * CAIP-2 namespace of the chains that know the address. Absent if the address is a public key in
   * hex.
   */
  caip2Prefix?: string;
  /**
   * Signed statement that this signer derived the address from the wallet at this path. The signer
   * signed it when the account was derived.
   */
  proof: AppProof;
};

/** An account to derive: its curve, its path and the format of its address. */
export type WalletAccountParams = {
  curve: Curve;
  pathFormat: PathFormat;
  /**
   * BIP-32 derivation path: one to ten indexes up to 2147483647, hardened ones with an apostrophe.
   * Up to 131 characters.
   */
  path: string;
  addressFormat: AddressFormat;
  /**
   * Name of the account, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  name?: string;
};

/** The wallet to create. */
export type WalletParams = {
  /**
   * Name of the wallet, unique within the organization. 1 to 255 characters. No control or
   * bidirectional characters.
   */
  walletName: string;
  /** Accounts to derive. Up to 100 entries. */
  accounts: WalletAccountParams[];
  /** Number of words in the wallet's mnemonic: 12, 15, 18, 21 or 24. The default is 12. */
  mnemonicLength?: 12 | 15 | 18 | 21 | 24;
};

/** The wallet that was created. */
export type WalletResult = {
  /** Unique identifier of the wallet. A UUID. */
  walletId: string;
  /** The addresses, in the order of the accounts in the request. */
  addresses: string[];
};

/** An event for one endpoint, and what became of it. */
export type WebhookDelivery = {
  /** Unique identifier of the delivery, and the event id that the receiver gets. A UUID. */
  deliveryId: string;
  /** Id of the endpoint; the organization's id for the URL of `FEATURE_NAME_WEBHOOK`. */
  endpointId: string;
  /** Unique identifier of the activity. */
  activityId: string;
  /** Which kind of event it is. */
  eventType: string;
  status: WebhookDeliveryStatus;
  /** How often it was tried. */
  attempts: number;
  /** Status of the receiver's last answer, if there was one. */
  lastStatusCode?: number;
  /** Why there was no answer the last time. */
  lastError?: string;
  /**
   * When it is tried again, if it waits. If it waits for an endpoint that fails, when the endpoint
   * is tried again.
   */
  nextAttemptAt?: Timestamp;
  createdAt: Timestamp;
};

/**
 * `WAITING`: tried at `nextAttemptAt`. `FAILED`: the receiver refused it, or the URL is not
 * accepted. `EXHAUSTED`: given up after several attempts, or after it waited for hours for an
 * endpoint that failed other deliveries. `CANCELLED`: the endpoint was deleted, or is not active.
 */
export type WebhookDeliveryStatus =
  | "WEBHOOK_DELIVERY_STATUS_WAITING"
  | "WEBHOOK_DELIVERY_STATUS_DELIVERED"
  | "WEBHOOK_DELIVERY_STATUS_FAILED"
  | "WEBHOOK_DELIVERY_STATUS_EXHAUSTED"
  | "WEBHOOK_DELIVERY_STATUS_CANCELLED";

/** An endpoint that events are sent to. */
export type WebhookEndpointData = {
  /** Unique identifier of the webhook endpoint. A UUID. */
  endpointId: string;
  /** Unique identifier of the organization. A UUID. */
  organizationId: string;
  /** Where events are sent. */
  url: string;
  /** Name of the endpoint. 1 to 255 characters. No control or bidirectional characters. */
  name: string;
  /** Whether events are sent. */
  isActive: boolean;
  /** Events that the endpoint gets. */
  subscriptions: WebhookSubscriptionParams[];
};

/** Events that an endpoint gets. */
export type WebhookSubscriptionParams = {
  /**
   * Which events to send: one of ACTIVITY_UPDATES, BALANCE_CONFIRMED_UPDATES,
   * BALANCE_FINALIZED_UPDATES, SEND_TRANSACTION_STATUS_UPDATES. In this version only
   * ACTIVITY_UPDATES happen.
   */
  eventType: string;
  /** Filters as JSON. This version has none: leave it out, or send `{}`. 1 to 1,000 characters. */
  filtersJson?: string;
  /** Whether these events are sent. If absent, true. */
  isActive?: boolean;
};
