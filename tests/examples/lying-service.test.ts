import { randomUUID } from "node:crypto";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startProxy } from "../cli/proxy.ts";
import { type Playground, start, startPlayground } from "./programs.ts";

// The passkey wallet's server beside a service that answers with what the signer has not stated.

let playground: Playground;

beforeAll(async () => {
  playground = await startPlayground();
}, 60_000);
afterAll(() => playground?.stop());

/** The app at a service whose new sub-organizations are all this one. */
async function startAt(stranger: string, environment: Record<string, string>) {
  const host = await startProxy(playground.service.url, (path) =>
    path === "/public/v1/submit/create_sub_organization"
      ? { result: { createSubOrganizationResultV7: { subOrganizationId: stranger } } }
      : undefined,
  );
  const app = start("passkey-wallet/server.ts", [], {
    ...playground.environment,
    ...{ KEYHEARTH_URL: host.url, PORT: "0" },
    ...environment,
  });
  onTestFinished(async () => void (await app.stop()));
  const [, url = ""] = await app.waitFor(/Open (http:\S+)/);
  return url;
}

function signUp(url: string) {
  const { apiPublicKey: publicKey } = createApiKey();
  return fetch(`${url}/wallet-sign-up`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ publicKey, curveType: "API_KEY_CURVE_P256" }),
  });
}

test("an app with the quorum key refuses a sub-organization that the signer has not made, and its pages have the key", async () => {
  const stranger = randomUUID();
  const believing = await startAt(stranger, {});
  expect(await (await signUp(believing)).json()).toEqual({ organizationId: stranger });
  expect(await (await fetch(`${believing}/config`)).json()).not.toHaveProperty("quorumPublicKey");

  const described = await fetch(`${playground.service.url}/.well-known/keyhearth.json`);
  const { quorumPublicKey } = await described.json();
  const pinned = await startAt(stranger, { KEYHEARTH_QUORUM_PUBLIC_KEY: quorumPublicKey });
  const refused = await signUp(pinned);
  expect(refused.status).toBe(500);
  expect(await refused.text()).not.toContain(stranger);
  expect(await (await fetch(`${pinned}/config`)).json()).toMatchObject({ quorumPublicKey });
}, 60_000);
