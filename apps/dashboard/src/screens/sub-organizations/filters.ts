import type { Option } from "../../ui/fields.tsx";

/** Everything that the service finds sub-organizations by. */
export const filters: readonly (Option & { placeholder: string })[] = [
  { id: "NAME", label: "Name", placeholder: "The whole name, such as Customer 4711" },
  { id: "USERNAME", label: "Name of a user", placeholder: "The whole name, such as Ada" },
  { id: "EMAIL", label: "Email address", placeholder: "ada@example.com" },
  { id: "PHONE_NUMBER", label: "Phone number", placeholder: "+14155550100" },
  { id: "WALLET_ACCOUNT_ADDRESS", label: "Address", placeholder: "0x… or another chain’s form" },
  { id: "PUBLIC_KEY", label: "Public key", placeholder: "02… or 03…, in hex" },
  { id: "CREDENTIAL_ID", label: "Id of a passkey", placeholder: "The credential id, in base64url" },
  { id: "OIDC_TOKEN", label: "ID token", placeholder: "A valid token of an OpenID provider" },
];
