import { connectEmulator } from "@keyhearth/cli/emulator";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";

export const emulator = connectEmulator(process.env.KEYHEARTH_URL ?? "");

/** An organization in which nothing of other test files is. */
export async function newClient(): Promise<KeyhearthClient> {
  const { organizationId, ...apiKey } = await emulator.createOrganization();
  const stamper = new ApiKeyStamper(apiKey);
  return new KeyhearthClient({ baseUrl: emulator.url, organizationId, stamper });
}
