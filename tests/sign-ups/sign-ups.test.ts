import { newProxyFamily, PAGE, type ProxyFamily } from "@keyhearth/api/proxy/proxy.testing";
import { clientOf, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { TEST_AUDIENCE } from "@keyhearth/engine/oidc.testing";
import { type LoginHandlerOptions, type LoginMethod, loginHandler } from "@keyhearth/sdk/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cases, signUpWithWallet, wallets } from "./cases.ts";

// Both backends of logins, each of which has the rules in code of its own: the service's proxy, and the handler that apps run.

type Settings = {
  methods?: string[];
  signUp?: boolean;
  subOrganization?: LoginHandlerOptions["subOrganization"];
};

type SignUp = (body: object) => Promise<{ status: number; body: Record<string, unknown> }>;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

const backends: Record<string, (family: ProxyFamily, settings: Settings) => SignUp> = {
  "the login proxy": (family) => (body) => family.call("signup_v2", body),

  "the handler for servers": (family, { methods = ["email", "passkey", "wallet"], ...more }) => {
    const described = server.signer.handle({ call: "describe" });
    if (!("verificationPublicKey" in described)) throw new Error("no description");
    const handle = loginHandler({
      ...more,
      connection: family.root,
      verificationPublicKey: described.verificationPublicKey,
      origins: [PAGE],
      methods: methods as LoginMethod[],
      appName: "Example",
      oauthClientIds: { example: TEST_AUDIENCE },
    });
    return async (body) => {
      const request = new Request(`${PAGE}/api/login/signup_v2`, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Auth-Proxy-Config-ID": family.organizationId,
          Origin: PAGE,
        },
        body: JSON.stringify(body),
      });
      const response = await handle(request);
      const answer = (await response.json()) as Record<string, unknown>;
      return { status: response.status, body: answer };
    };
  },
};

describe.each(Object.keys(backends))("%s", (backend) => {
  let family: ProxyFamily;
  let signUp: SignUp;

  async function start(settings: Settings) {
    const made = await newProxyFamily(server, settings);
    return { family: made, signUp: backends[backend]?.(made, settings) as SignUp };
  }

  beforeAll(async () => {
    ({ family, signUp } = await start({}));
  });

  test.each(cases.map((each) => [each.name, each] as const))(
    "answers to %s",
    async (_name, { bodies, settings, outcome }) => {
      const asked = settings ? await start(settings) : { family, signUp };
      const sent = await bodies(asked.family);
      for (const body of sent.slice(0, -1)) expect((await asked.signUp(body)).status).toBe(200);
      const { status, body } = await asked.signUp(sent.at(-1) ?? {});
      const [detail] = (body.details ?? []) as { code?: string; field?: string }[];
      if (outcome === 200) {
        expect([status, body.message]).toEqual([200, undefined]);
        return;
      }
      const [, , field = detail?.field] = outcome;
      expect([status, detail?.code, detail?.field]).toEqual([...outcome.slice(0, 2), field]);
    },
  );

  test.each(wallets)("makes $name", async ({ set, given, made }) => {
    const asked = await start(
      set === undefined ? {} : { subOrganization: { wallet: { walletName: set, accounts: [] } } },
    );
    const { status, body } = await asked.signUp(signUpWithWallet(given));
    expect(status).toBe(200);
    const own = clientOf(server, String(body.organizationId), asked.family.rootKey);
    const { wallets: found } = await own.listWallets();
    expect(found.map(({ walletName }) => walletName)).toEqual(made);
  });
});
