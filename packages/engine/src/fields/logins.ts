import type { ApiKeyCurve } from "@keyhearth/crypto/stamps/stamp";

// What is known of each way to log in. A new one is named here once; the contract, the check of stamps and the rules
// about users without another way back are derived from it.

type CredentialTraits = {
  /** The curve of the keys that stamp with it. None for passkeys, whose stamps have another form. */
  readonly curve?: ApiKeyCurve;
  /** A session of this type may have begun with a social login, and ends when one is deleted. */
  readonly isOfSocialLogin?: true;
};

/** Every type of credential, in the order of the contract. */
export const credentialTypes = {
  CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR: {},
  CREDENTIAL_TYPE_API_KEY_P256: { curve: "API_KEY_CURVE_P256" },
  CREDENTIAL_TYPE_RECOVER_USER_KEY_P256: { curve: "API_KEY_CURVE_P256" },
  CREDENTIAL_TYPE_API_KEY_SECP256K1: { curve: "API_KEY_CURVE_SECP256K1" },
  CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256: { curve: "API_KEY_CURVE_P256" },
  CREDENTIAL_TYPE_API_KEY_ED25519: { curve: "API_KEY_CURVE_ED25519" },
  CREDENTIAL_TYPE_OTP_AUTH_KEY_P256: { curve: "API_KEY_CURVE_P256" },
  CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256: { curve: "API_KEY_CURVE_P256" },
  CREDENTIAL_TYPE_OAUTH_KEY_P256: { curve: "API_KEY_CURVE_P256", isOfSocialLogin: true },
  CREDENTIAL_TYPE_LOGIN: { curve: "API_KEY_CURVE_P256", isOfSocialLogin: true },
} as const satisfies Record<string, CredentialTraits>;

export type CredentialType = keyof typeof credentialTypes;

export function traitsOf(type: CredentialType): CredentialTraits {
  return credentialTypes[type];
}

// Keys of an object are strings to the compiler.
export const credentialTypeNames = Object.keys(credentialTypes) as [CredentialType];

type FeatureTraits = {
  /** While the feature is set, users can log in by this contact alone. */
  readonly logsInBy?: "email" | "phone";
};

/** Every feature of an organization, in the order of the contract. */
export const features = {
  FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY: {},
  FEATURE_NAME_WEBAUTHN_ORIGINS: {},
  FEATURE_NAME_EMAIL_AUTH: { logsInBy: "email" },
  FEATURE_NAME_EMAIL_RECOVERY: {},
  FEATURE_NAME_WEBHOOK: {},
  FEATURE_NAME_SMS_AUTH: { logsInBy: "phone" },
  FEATURE_NAME_OTP_EMAIL_AUTH: { logsInBy: "email" },
  FEATURE_NAME_AUTH_PROXY: {},
} as const satisfies Record<string, FeatureTraits>;

export const featureNames = Object.keys(features) as [keyof typeof features];

/** Whether somebody with a contact of this type can log in by it while the feature is set. */
export function isLoginBy(type: "email" | "phone", name: string): boolean {
  const traits: Readonly<Record<string, FeatureTraits>> = features;
  return traits[name]?.logsInBy === type;
}
