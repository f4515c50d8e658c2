import { Connection, type Stamper, whoami } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { ApiKeyStamper as ReleasedStamper } from "@turnkey/api-key-stamper";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const keyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, apiPublicKey, apiPrivateKey } = await readApiKeyFile(keyFile);
const released = new ReleasedStamper({ apiPublicKey, apiPrivateKey });

// It signs the same bytes, and only names the header in another way.
const stamper: Stamper = {
  async stamp(body) {
    const { stampHeaderName, stampHeaderValue } = await released.stamp(body);
    return { name: stampHeaderName, value: stampHeaderValue };
  },
};

const { username } = await whoami(new Connection({ baseUrl, organizationId, stamper }));
console.log(username);
