import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createEmailUser } from "./server/email-user.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });

const email = `ada.${Date.now()}@example.com`;
const { subOrganizationId, wallet } = await createEmailUser(parent, email);
console.log(`Created ${subOrganizationId} with ${wallet?.addresses.length} address`);

// Later, the address finds the sub-organization again.
const filter = { filterType: "EMAIL", filterValue: email } as const;
const found = await parent.listSuborgs(filter);
console.log(`The address belongs to ${found.organizationIds}`);

// Nobody has proved yet that the address is Ada's.
const verified = await parent.listVerifiedSuborgs(filter);
console.log(`Verified: ${verified.organizationIds.length > 0}`);
