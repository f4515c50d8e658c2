/** Names and numbers of versions, of the activities that one resource and action stand for. */
type Kinds = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;

/**
 * What conditions of policies can be about: resource, action, and the kinds of activities with how
 * many versions each has. Kinds that no endpoint serves yet are here too: a policy may provide for
 * them. What only the root quorum does is not, since no policy is asked about it.
 */
const kinds: Kinds = {
  ORGANIZATION: {
    CREATE: { CREATE_SUB_ORGANIZATION: 8 },
    DELETE: { DELETE_ORGANIZATION: 1, DELETE_SUB_ORGANIZATION: 1 },
  },
  INVITATION: { CREATE: { CREATE_INVITATIONS: 1 }, DELETE: { DELETE_INVITATION: 1 } },
  USER: {
    CREATE: { CREATE_USERS: 4, CREATE_API_ONLY_USERS: 1, CREATE_USER_TAG: 1 },
    UPDATE: {
      UPDATE_USER: 1,
      UPDATE_USER_NAME: 1,
      UPDATE_USER_EMAIL: 1,
      UPDATE_USER_PHONE_NUMBER: 1,
      UPDATE_USER_TAG: 1,
      RECOVER_USER: 1,
    },
    DELETE: { DELETE_USERS: 1, DELETE_USER_TAGS: 1 },
  },
  CREDENTIAL: {
    CREATE: { CREATE_API_KEYS: 2, CREATE_AUTHENTICATORS: 2, CREATE_OAUTH_PROVIDERS: 2 },
    DELETE: { DELETE_API_KEYS: 1, DELETE_AUTHENTICATORS: 1, DELETE_OAUTH_PROVIDERS: 1 },
  },
  PRIVATE_KEY: {
    CREATE: { CREATE_PRIVATE_KEYS: 2, CREATE_PRIVATE_KEY_TAG: 1 },
    UPDATE: { UPDATE_PRIVATE_KEY_TAG: 1 },
    DELETE: { DELETE_PRIVATE_KEYS: 1, DELETE_PRIVATE_KEY_TAGS: 1, DISABLE_PRIVATE_KEY: 1 },
    IMPORT: { INIT_IMPORT_PRIVATE_KEY: 1, IMPORT_PRIVATE_KEY: 1 },
    EXPORT: { EXPORT_PRIVATE_KEY: 1 },
    SIGN: { SIGN_TRANSACTION: 2, SIGN_RAW_PAYLOAD: 2, SIGN_RAW_PAYLOADS: 1 },
  },
  WALLET: {
    CREATE: { CREATE_WALLET: 1, CREATE_WALLET_ACCOUNTS: 1 },
    UPDATE: { UPDATE_WALLET: 1 },
    DELETE: { DELETE_WALLETS: 1, DELETE_WALLET_ACCOUNTS: 1 },
    IMPORT: { INIT_IMPORT_WALLET: 1, IMPORT_WALLET: 1 },
    EXPORT: { EXPORT_WALLET: 1, EXPORT_WALLET_ACCOUNT: 1 },
  },
  POLICY: {
    CREATE: { CREATE_POLICY: 3, CREATE_POLICIES: 1 },
    UPDATE: { UPDATE_POLICY: 2 },
    DELETE: { DELETE_POLICY: 1, DELETE_POLICIES: 1 },
  },
  SMART_CONTRACT_INTERFACE: {
    CREATE: { CREATE_SMART_CONTRACT_INTERFACE: 1 },
    DELETE: { DELETE_SMART_CONTRACT_INTERFACE: 1 },
  },
  AUTH: {
    CREATE: {
      EMAIL_AUTH: 3,
      INIT_OTP_AUTH: 3,
      OTP_AUTH: 1,
      OAUTH: 1,
      CREATE_READ_WRITE_SESSION: 2,
      OAUTH_LOGIN: 1,
      OTP_LOGIN: 2,
      STAMP_LOGIN: 1,
      CREATE_OAUTH2_CREDENTIAL: 1,
      OAUTH2_AUTHENTICATE: 1,
    },
    UPDATE: { UPDATE_OAUTH2_CREDENTIAL: 1 },
    DELETE: { DELETE_OAUTH2_CREDENTIAL: 1 },
  },
  OTP: { CREATE: { INIT_OTP: 3 }, VERIFY: { VERIFY_OTP: 2 } },
  RECOVERY: { CREATE: { INIT_USER_EMAIL_RECOVERY: 2 } },
  WEBHOOK_ENDPOINT: {
    CREATE: { CREATE_WEBHOOK_ENDPOINT: 1 },
    UPDATE: { UPDATE_WEBHOOK_ENDPOINT: 1 },
    DELETE: { DELETE_WEBHOOK_ENDPOINT: 1 },
  },
  CONFIG: { UPDATE: { UPDATE_ALLOWED_ORIGINS: 1 } },
  MFA_POLICY: {
    CREATE: { CREATE_MFA_POLICY: 1 },
    UPDATE: { UPDATE_MFA_POLICY: 1 },
    DELETE: { DELETE_MFA_POLICY: 1 },
  },
  SESSION_PROFILE: { CREATE: { CREATE_SESSION_PROFILE: 1 } },
};

/** The type without prefix and version. */
export function kindOf(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");
}

/** One version of an activity as conditions see it, and whether it is the newest of its kind. */
export type ActivityKind = {
  type: string;
  kind: string;
  resource: string;
  action: string;
  newest: boolean;
};

/** Every version of every activity that a policy can be about. */
export const activityKinds: readonly ActivityKind[] = [...listKinds()];

function* listKinds(): Generator<ActivityKind> {
  for (const [resource, actions] of Object.entries(kinds)) {
    for (const [action, names] of Object.entries(actions)) {
      for (const [name, versions] of Object.entries(names)) {
        for (let version = 1; version <= versions; version++) {
          const type = `ACTIVITY_TYPE_${name}${version === 1 ? "" : `_V${version}`}`;
          yield { type, kind: kindOf(type), resource, action, newest: version === versions };
        }
      }
    }
  }
}
