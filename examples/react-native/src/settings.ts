/**
 * Of your service and organization: `sessionPublicKey` and `verificationPublicKey` are in `/.well-known/keyhearth.json`. All
 * are public, and everyone who has the app can read them. `domain` is the one that names the app in two files.
 */
export const settings = {
  baseUrl: process.env.EXPO_PUBLIC_KEYHEARTH_URL ?? "",
  organizationId: process.env.EXPO_PUBLIC_KEYHEARTH_ORGANIZATION_ID ?? "",
  sessionPublicKey: process.env.EXPO_PUBLIC_KEYHEARTH_SESSION_KEY ?? "",
  verificationPublicKey: process.env.EXPO_PUBLIC_KEYHEARTH_VERIFICATION_KEY ?? "",
  domain: process.env.EXPO_PUBLIC_DOMAIN ?? "",
};
