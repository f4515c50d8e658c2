import { ApiKeyStamper, Connection, whoami } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const keyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, apiPublicKey, apiPrivateKey } = await readApiKeyFile(keyFile);

const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
const { username } = await whoami(new Connection({ baseUrl, organizationId, stamper }));
console.log(username);
