import { Connection } from "@keyhearth/sdk";
import { NodeApiKeyStamper, nextLoginHandler, readApiKeyFile } from "@keyhearth/sdk/server";

const {
  NEXT_PUBLIC_KEYHEARTH_URL: baseUrl = "",
  KEYHEARTH_ROOT_KEY: keyFile = "",
  APP_ORIGIN: origin = "",
} = process.env;
const { organizationId, ...key } = await readApiKeyFile(keyFile);

export const POST = nextLoginHandler({
  connection: new Connection({ baseUrl, organizationId, stamper: new NodeApiKeyStamper(key) }),
  origins: [origin],
  methods: ["passkey"],
  appName: "My wallet",
  subOrganization: {
    wallet: {
      walletName: "Main",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    },
  },
});
