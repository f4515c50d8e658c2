/** A key that this page made. Its private half is in memory until people say that they have it. */
export type MadeKey = {
  apiKeyName: string;
  apiPublicKey: string;
  apiPrivateKey: string;
  organizationId: string;
};

export async function makeKey(apiKeyName: string, organizationId: string): Promise<MadeKey> {
  // Loaded when it is used: it needs a curve.
  const { createApiKey } = await import("@keyhearth/sdk/crypto");
  const { apiPublicKey, apiPrivateKey } = createApiKey();
  return { apiKeyName, organizationId, apiPublicKey, apiPrivateKey };
}

/** As the command line and the login of the dashboard read it. */
export function keyFile({ organizationId, apiPublicKey, apiPrivateKey }: MadeKey): string {
  return `${JSON.stringify({ organizationId, apiPublicKey, apiPrivateKey }, undefined, 2)}\n`;
}

export const lifetimes = [
  { id: "never", label: "It does not expire" },
  { id: "3600", label: "An hour" },
  { id: "86400", label: "A day" },
  { id: "2592000", label: "30 days" },
  { id: "7776000", label: "90 days" },
  { id: "31536000", label: "A year" },
];

/** What the service says about a public key is checked there. This catches what was pasted by mistake. */
export function problemOfPublicKey(text: string): string | true {
  const key = text.trim();
  if (/^[0-9a-f]{64}$/i.test(key) || /^0[23][0-9a-f]{64}$/i.test(key)) return true;
  if (/^04[0-9a-f]{128}$/i.test(key)) {
    return "This is an uncompressed key. Give the compressed form, which begins with 02 or 03 and has 66 digits.";
  }
  return "A public key has 66 hexadecimal digits and begins with 02 or 03, or 64 for Ed25519.";
}
