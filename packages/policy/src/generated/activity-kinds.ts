// GENERATED from contract/wire-facts.json by scripts/activity-kinds.ts. Do not edit.

/** Kinds of activities that policies are asked about, each with its types in order of version. */
export const decidableKinds = [
  {
    "kind": "CREATE_SUB_ORGANIZATION",
    "resource": "ORGANIZATION",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION",
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V2",
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3",
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V4",
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V5",
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V6",
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7",
      "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8"
    ]
  },
  {
    "kind": "DELETE_SUB_ORGANIZATION",
    "resource": "ORGANIZATION",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION"
    ]
  },
  {
    "kind": "CREATE_INVITATIONS",
    "resource": "INVITATION",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_INVITATIONS"
    ]
  },
  {
    "kind": "DELETE_INVITATION",
    "resource": "INVITATION",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_INVITATION"
    ]
  },
  {
    "kind": "CREATE_USERS",
    "resource": "USER",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_USERS",
      "ACTIVITY_TYPE_CREATE_USERS_V2",
      "ACTIVITY_TYPE_CREATE_USERS_V3",
      "ACTIVITY_TYPE_CREATE_USERS_V4"
    ]
  },
  {
    "kind": "CREATE_API_ONLY_USERS",
    "resource": "USER",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_API_ONLY_USERS"
    ]
  },
  {
    "kind": "CREATE_USER_TAG",
    "resource": "USER",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_USER_TAG"
    ]
  },
  {
    "kind": "UPDATE_USER",
    "resource": "USER",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_USER"
    ]
  },
  {
    "kind": "UPDATE_USER_NAME",
    "resource": "USER",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_USER_NAME"
    ]
  },
  {
    "kind": "LOG_OUT_EVERYWHERE",
    "resource": "USER",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE"
    ]
  },
  {
    "kind": "UPDATE_USER_EMAIL",
    "resource": "USER",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_USER_EMAIL"
    ]
  },
  {
    "kind": "UPDATE_USER_PHONE_NUMBER",
    "resource": "USER",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_USER_PHONE_NUMBER"
    ]
  },
  {
    "kind": "UPDATE_USER_TAG",
    "resource": "USER",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_USER_TAG"
    ]
  },
  {
    "kind": "RECOVER_USER",
    "resource": "USER",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_RECOVER_USER"
    ]
  },
  {
    "kind": "DELETE_USERS",
    "resource": "USER",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_USERS"
    ]
  },
  {
    "kind": "DELETE_USER_TAGS",
    "resource": "USER",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_USER_TAGS"
    ]
  },
  {
    "kind": "CREATE_API_KEYS",
    "resource": "CREDENTIAL",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_API_KEYS",
      "ACTIVITY_TYPE_CREATE_API_KEYS_V2"
    ]
  },
  {
    "kind": "CREATE_AUTHENTICATORS",
    "resource": "CREDENTIAL",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_AUTHENTICATORS",
      "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2"
    ]
  },
  {
    "kind": "CREATE_OAUTH_PROVIDERS",
    "resource": "CREDENTIAL",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS",
      "ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2"
    ]
  },
  {
    "kind": "DELETE_API_KEYS",
    "resource": "CREDENTIAL",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_API_KEYS"
    ]
  },
  {
    "kind": "DELETE_AUTHENTICATORS",
    "resource": "CREDENTIAL",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_AUTHENTICATORS"
    ]
  },
  {
    "kind": "DELETE_OAUTH_PROVIDERS",
    "resource": "CREDENTIAL",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS"
    ]
  },
  {
    "kind": "CREATE_PRIVATE_KEYS",
    "resource": "PRIVATE_KEY",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS",
      "ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2"
    ]
  },
  {
    "kind": "CREATE_PRIVATE_KEY_TAG",
    "resource": "PRIVATE_KEY",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_PRIVATE_KEY_TAG"
    ]
  },
  {
    "kind": "UPDATE_PRIVATE_KEY_TAG",
    "resource": "PRIVATE_KEY",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_PRIVATE_KEY_TAG"
    ]
  },
  {
    "kind": "DELETE_PRIVATE_KEYS",
    "resource": "PRIVATE_KEY",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_PRIVATE_KEYS"
    ]
  },
  {
    "kind": "DELETE_PRIVATE_KEY_TAGS",
    "resource": "PRIVATE_KEY",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS"
    ]
  },
  {
    "kind": "DISABLE_PRIVATE_KEY",
    "resource": "PRIVATE_KEY",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DISABLE_PRIVATE_KEY"
    ]
  },
  {
    "kind": "INIT_IMPORT_PRIVATE_KEY",
    "resource": "PRIVATE_KEY",
    "action": "IMPORT",
    "types": [
      "ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY"
    ]
  },
  {
    "kind": "IMPORT_PRIVATE_KEY",
    "resource": "PRIVATE_KEY",
    "action": "IMPORT",
    "types": [
      "ACTIVITY_TYPE_IMPORT_PRIVATE_KEY"
    ]
  },
  {
    "kind": "EXPORT_PRIVATE_KEY",
    "resource": "PRIVATE_KEY",
    "action": "EXPORT",
    "types": [
      "ACTIVITY_TYPE_EXPORT_PRIVATE_KEY"
    ]
  },
  {
    "kind": "SIGN_TRANSACTION",
    "resource": "PRIVATE_KEY",
    "action": "SIGN",
    "types": [
      "ACTIVITY_TYPE_SIGN_TRANSACTION",
      "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"
    ]
  },
  {
    "kind": "SIGN_RAW_PAYLOAD",
    "resource": "PRIVATE_KEY",
    "action": "SIGN",
    "types": [
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD",
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
    ]
  },
  {
    "kind": "SIGN_RAW_PAYLOADS",
    "resource": "PRIVATE_KEY",
    "action": "SIGN",
    "types": [
      "ACTIVITY_TYPE_SIGN_RAW_PAYLOADS"
    ]
  },
  {
    "kind": "CREATE_WALLET",
    "resource": "WALLET",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_WALLET"
    ]
  },
  {
    "kind": "CREATE_WALLET_ACCOUNTS",
    "resource": "WALLET",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS"
    ]
  },
  {
    "kind": "UPDATE_WALLET",
    "resource": "WALLET",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_WALLET"
    ]
  },
  {
    "kind": "DELETE_WALLETS",
    "resource": "WALLET",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_WALLETS"
    ]
  },
  {
    "kind": "DELETE_WALLET_ACCOUNTS",
    "resource": "WALLET",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS"
    ]
  },
  {
    "kind": "INIT_IMPORT_WALLET",
    "resource": "WALLET",
    "action": "IMPORT",
    "types": [
      "ACTIVITY_TYPE_INIT_IMPORT_WALLET"
    ]
  },
  {
    "kind": "IMPORT_WALLET",
    "resource": "WALLET",
    "action": "IMPORT",
    "types": [
      "ACTIVITY_TYPE_IMPORT_WALLET"
    ]
  },
  {
    "kind": "EXPORT_WALLET",
    "resource": "WALLET",
    "action": "EXPORT",
    "types": [
      "ACTIVITY_TYPE_EXPORT_WALLET"
    ]
  },
  {
    "kind": "EXPORT_WALLET_ACCOUNT",
    "resource": "WALLET",
    "action": "EXPORT",
    "types": [
      "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT"
    ]
  },
  {
    "kind": "CREATE_POLICY",
    "resource": "POLICY",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_POLICY",
      "ACTIVITY_TYPE_CREATE_POLICY_V2",
      "ACTIVITY_TYPE_CREATE_POLICY_V3"
    ]
  },
  {
    "kind": "CREATE_POLICIES",
    "resource": "POLICY",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_POLICIES"
    ]
  },
  {
    "kind": "UPDATE_POLICY",
    "resource": "POLICY",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_POLICY",
      "ACTIVITY_TYPE_UPDATE_POLICY_V2"
    ]
  },
  {
    "kind": "DELETE_POLICY",
    "resource": "POLICY",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_POLICY"
    ]
  },
  {
    "kind": "DELETE_POLICIES",
    "resource": "POLICY",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_POLICIES"
    ]
  },
  {
    "kind": "CREATE_SMART_CONTRACT_INTERFACE",
    "resource": "SMART_CONTRACT_INTERFACE",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE"
    ]
  },
  {
    "kind": "DELETE_SMART_CONTRACT_INTERFACE",
    "resource": "SMART_CONTRACT_INTERFACE",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE"
    ]
  },
  {
    "kind": "EMAIL_AUTH",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_EMAIL_AUTH",
      "ACTIVITY_TYPE_EMAIL_AUTH_V2",
      "ACTIVITY_TYPE_EMAIL_AUTH_V3"
    ]
  },
  {
    "kind": "INIT_OTP_AUTH",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_INIT_OTP_AUTH",
      "ACTIVITY_TYPE_INIT_OTP_AUTH_V2",
      "ACTIVITY_TYPE_INIT_OTP_AUTH_V3"
    ]
  },
  {
    "kind": "OTP_AUTH",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_OTP_AUTH"
    ]
  },
  {
    "kind": "OAUTH",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_OAUTH"
    ]
  },
  {
    "kind": "CREATE_READ_WRITE_SESSION",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION",
      "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2"
    ]
  },
  {
    "kind": "OAUTH_LOGIN",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_OAUTH_LOGIN"
    ]
  },
  {
    "kind": "OTP_LOGIN",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_OTP_LOGIN",
      "ACTIVITY_TYPE_OTP_LOGIN_V2"
    ]
  },
  {
    "kind": "STAMP_LOGIN",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_STAMP_LOGIN"
    ]
  },
  {
    "kind": "CREATE_OAUTH2_CREDENTIAL",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_OAUTH2_CREDENTIAL"
    ]
  },
  {
    "kind": "OAUTH2_AUTHENTICATE",
    "resource": "AUTH",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_OAUTH2_AUTHENTICATE"
    ]
  },
  {
    "kind": "UPDATE_OAUTH2_CREDENTIAL",
    "resource": "AUTH",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_OAUTH2_CREDENTIAL"
    ]
  },
  {
    "kind": "DELETE_OAUTH2_CREDENTIAL",
    "resource": "AUTH",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_OAUTH2_CREDENTIAL"
    ]
  },
  {
    "kind": "INIT_OTP",
    "resource": "OTP",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_INIT_OTP",
      "ACTIVITY_TYPE_INIT_OTP_V2",
      "ACTIVITY_TYPE_INIT_OTP_V3"
    ]
  },
  {
    "kind": "VERIFY_OTP",
    "resource": "OTP",
    "action": "VERIFY",
    "types": [
      "ACTIVITY_TYPE_VERIFY_OTP",
      "ACTIVITY_TYPE_VERIFY_OTP_V2"
    ]
  },
  {
    "kind": "INIT_USER_EMAIL_RECOVERY",
    "resource": "RECOVERY",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY",
      "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2"
    ]
  },
  {
    "kind": "CREATE_WEBHOOK_ENDPOINT",
    "resource": "WEBHOOK_ENDPOINT",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT"
    ]
  },
  {
    "kind": "UPDATE_WEBHOOK_ENDPOINT",
    "resource": "WEBHOOK_ENDPOINT",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT"
    ]
  },
  {
    "kind": "DELETE_WEBHOOK_ENDPOINT",
    "resource": "WEBHOOK_ENDPOINT",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT"
    ]
  },
  {
    "kind": "RESEND_WEBHOOK_DELIVERY",
    "resource": "WEBHOOK_ENDPOINT",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY"
    ]
  },
  {
    "kind": "UPDATE_ALLOWED_ORIGINS",
    "resource": "CONFIG",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_ALLOWED_ORIGINS"
    ]
  },
  {
    "kind": "CREATE_MFA_POLICY",
    "resource": "MFA_POLICY",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_MFA_POLICY"
    ]
  },
  {
    "kind": "UPDATE_MFA_POLICY",
    "resource": "MFA_POLICY",
    "action": "UPDATE",
    "types": [
      "ACTIVITY_TYPE_UPDATE_MFA_POLICY"
    ]
  },
  {
    "kind": "DELETE_MFA_POLICY",
    "resource": "MFA_POLICY",
    "action": "DELETE",
    "types": [
      "ACTIVITY_TYPE_DELETE_MFA_POLICY"
    ]
  },
  {
    "kind": "CREATE_SESSION_PROFILE",
    "resource": "SESSION_PROFILE",
    "action": "CREATE",
    "types": [
      "ACTIVITY_TYPE_CREATE_SESSION_PROFILE"
    ]
  }
];
