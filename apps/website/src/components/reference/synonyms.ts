import { hasWords } from "../filter/words.ts";

/** What readers call something, and a word that the operations for it have. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  "2fa": ["authenticator", "otp"],
  account: ["wallet_account", "suborg", "sub_organization"],
  add: ["create"],
  address: ["wallet_account", "create_private_keys"],
  allow: ["policy", "policies"],
  approval: ["consensus", "approve"],
  backup: ["export"],
  broadcast: ["sign_transaction"],
  change: ["update"],
  code: ["otp"],
  contract: ["smart_contract_interface"],
  credential: ["authenticator", "api_key", "oauth"],
  customer: ["sub_organization", "suborg"],
  deny: ["policy", "policies", "reject"],
  device: ["authenticator"],
  edit: ["update"],
  event: ["webhook"],
  facebook: ["oauth"],
  google: ["oauth"],
  apple: ["oauth"],
  history: ["list_activities", "get_receipts"],
  limit: ["policy", "policies"],
  login: ["login", "auth", "session"],
  "log-in": ["login", "auth", "session"],
  logout: ["log_out"],
  message: ["sign_raw_payload"],
  mnemonic: ["export_wallet", "import_wallet"],
  multisig: ["consensus", "quorum"],
  notification: ["webhook"],
  oidc: ["oauth"],
  passkey: ["authenticator"],
  permission: ["policy", "policies"],
  phone: ["otp", "phone"],
  phrase: ["export_wallet", "import_wallet"],
  quorum: ["quorum", "consensus"],
  receipt: ["get_receipts"],
  recover: ["recover", "recovery"],
  remove: ["delete", "remove"],
  role: ["user_tag", "policy", "policies"],
  rule: ["policy", "policies"],
  seed: ["export_wallet", "import_wallet", "create_wallet"],
  send: ["sign_transaction"],
  signature: ["sign_"],
  signin: ["login", "auth"],
  signup: ["create_sub_organization", "create_organization"],
  "sign-up": ["create_sub_organization", "create_organization"],
  register: ["create_sub_organization", "create_organization", "create_authenticators"],
  sms: ["otp"],
  social: ["oauth"],
  team: ["users", "invitation", "user_tag"],
  tenant: ["sub_organization", "suborg"],
  transfer: ["sign_transaction"],
  vote: ["consensus", "approve", "reject"],
  webauthn: ["authenticator"],
};

export const synonyms = Object.keys(SYNONYMS);

/** Shorter beginnings of words mean too much. */
const LEAST = 3;

/** Whether a text has each of the words, or what it is called here. */
export function hasMeaning(text: string, words: readonly string[]): boolean {
  return words.every(
    (word) => hasWords(text, [word]) || calledHere(word).some((name) => hasWords(text, [name])),
  );
}

function calledHere(word: string): string[] {
  if (word.length < LEAST) return [];
  const singular = word.length > LEAST ? word.replace(/s$/, "") : word;
  return synonyms
    .filter((synonym) => synonym.startsWith(singular))
    .flatMap((synonym) => SYNONYMS[synonym] ?? []);
}
