import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "@keyhearth/api/config/config";
import { variables } from "@keyhearth/api/config/variables";
import {
  newKey,
  rootOrganizationIdOf,
  startTestServer,
  type TestServer,
} from "@keyhearth/api/testing";
import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamp } from "@keyhearth/crypto/stamps/create-stamp";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { openSigner, type SignerOptions } from "@keyhearth/signer/signer";
import { settle } from "@keyhearth/signer/turns/answer-verified";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// The core has an option with which the emulator chooses the id of an organization. With it, whoever reaches a signer could
// found an organization in the place of another one.

const root = fileURLToPath(new URL("../..", import.meta.url));
const OPTION = "foundingIdOf";
const CHOSEN = "11111111-1111-4111-8111-111111111111";

/** The option's name and other words for it, with the id in every form. */
const attempts: Record<string, unknown> = {
  [OPTION]: CHOSEN,
  foundingId: CHOSEN,
  foundAs: CHOSEN,
  foundingIds: { [CHOSEN]: CHOSEN },
  id: CHOSEN,
};

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.stop());

/** A founding that is stamped by the key that it registers. */
function founding(more: { envelope?: object; parameters?: object } = {}) {
  const { publicKey, privateKey } = newKey();
  const text = JSON.stringify({
    type: "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2",
    timestampMs: String(Date.now()),
    organizationId: CHOSEN,
    parameters: {
      organizationName: "Acme",
      rootApiKey: { apiKeyName: "Key", publicKey, curveType: "API_KEY_CURVE_P256" },
      ...more.parameters,
    },
    ...more.envelope,
  });
  const body = encodeUtf8(text);
  const scheme = "SIGNATURE_SCHEME_TK_API_P256";
  const value = createApiKeyStamp({ privateKey: decodeHex(privateKey), scheme }, body);
  return { text, body, stamp: { name: "X-Stamp", value } };
}

describe("the id of an organization that is founded is derived by the signer,", () => {
  test("whatever the request says", async () => {
    const send = async ({ text, stamp }: ReturnType<typeof founding>, headers = {}) => {
      const url = "http://keyhearth.test/public/v1/submit/create_organization";
      const all = { "content-type": "application/json", [stamp.name]: stamp.value, ...headers };
      const response = await server.fetch(url, { method: "POST", body: text, headers: all });
      return { status: response.status, answer: await response.json() };
    };
    const inEnvelope = await send(founding());
    expect([inEnvelope.status, JSON.stringify(inEnvelope.answer)]).toEqual([
      400,
      expect.stringContaining("ORGANIZATION_MISMATCH"),
    ]);
    const envelope = { organizationId: await rootOrganizationIdOf(server) };
    const inHeaders = { [OPTION]: CHOSEN, "X-Organization-Id": CHOSEN };
    const founded = await send(founding({ envelope }), inHeaders);
    expect(founded.status).toBe(200);
    const { organizationId } = founded.answer.activity.result.createOrganizationResult;
    expect(organizationId).toMatch(/^[0-9a-f-]{36}$/);
    expect(organizationId).not.toBe(CHOSEN);
    for (const [name, value] of Object.entries({ ...attempts, organizationId: CHOSEN })) {
      const asParameter = await send(founding({ envelope, parameters: { [name]: value } }));
      expect([name, asParameter.status]).toEqual([name, 400]);
      if (name === "organizationId") continue;
      const asMember = await send(founding({ envelope: { ...envelope, [name]: value } }));
      // Other members of the envelope mean nothing.
      const founded = asMember.answer.activity.result.createOrganizationResult.organizationId;
      expect(founded).toMatch(/^[0-9a-f-]{36}$/);
      expect(founded).not.toBe(CHOSEN);
    }
  });

  test("whatever a hostile host adds to its call", async () => {
    const { body, stamp } = founding();
    const call = { call: "submit", endpoint: "create_organization", body, stamp } as const;
    const plain = await server.signer.answer({ ...call, records: [], attachments: [] });
    const ids = { [fingerprint(body)]: CHOSEN };
    const added = { ...attempts, organizationId: CHOSEN, [OPTION]: ids };
    const answer = await server.signer.answer({
      ...call,
      ...{ records: [], attachments: [] },
      ...added,
    });
    expect(plain).toMatchObject({ kind: "proposal" });
    if (answer.kind !== "proposal" || plain.kind !== "proposal") throw new Error(answer.kind);
    expect(answer.organizationId).toBe(plain.organizationId);
    expect(answer.organizationId).not.toBe(CHOSEN);
  });

  test("whatever options the signer's process has", async () => {
    const stateDirectory = mkdtempSync(join(tmpdir(), "keyhearth-founding-"));
    const options = { stateDirectory, mayCreate: true, log: () => {} } satisfies SignerOptions;
    const signer = openSigner({ ...options, ...attempts, ...{ [OPTION]: () => CHOSEN } });
    try {
      const { body, stamp } = founding();
      const answer = await settle(
        signer.answer({
          ...{ call: "submit", endpoint: "create_organization" },
          ...{ body, stamp, records: [], attachments: [] },
        }),
      );
      if (answer.kind !== "proposal") throw new Error(answer.kind);
      expect(answer.organizationId).not.toBe(CHOSEN);
    } finally {
      signer.close();
      rmSync(stateDirectory, { recursive: true });
    }
  });

  test("whatever the environment says", () => {
    expect(Object.keys(variables).filter((name) => /FOUND|EMULAT|ORGANIZATION/.test(name))).toEqual(
      [],
    );
    const { warnings: _, ...plain } = readConfig({});
    const spelled = ["KEYHEARTH_FOUNDING_ID", "KEYHEARTH_ORGANIZATION_ID", OPTION, "EMULATOR"];
    const { warnings, ...set } = readConfig(
      Object.fromEntries(spelled.map((name) => [name, CHOSEN])),
    );
    expect(set).toEqual(plain);
    expect(warnings).toHaveLength(2);
    expect(JSON.stringify(warnings)).not.toContain(CHOSEN);
  });

  test("because only the emulator's signer fills the option, and no program of the product has that", () => {
    const files = globSync("{apps,packages}/*/src/**/*.ts", { cwd: root }).filter(
      (file) => !/\.(test|testing)\.ts$/.test(file),
    );
    const naming = (text: string | RegExp) =>
      files.filter((file) => readFileSync(join(root, file), "utf8").match(text)).toSorted();
    expect(naming(OPTION)).toEqual([
      "apps/signer/src/in-memory.ts",
      "packages/engine/src/activities/decide-founding.ts",
      "packages/engine/src/core/core.ts",
      "packages/engine/src/door/create-core.ts",
    ]);
    const importers = naming(/from "[^"]*\/in-memory(\.ts)?"/);
    expect(importers.length).toBeGreaterThan(0);
    expect(importers.filter((file) => !file.startsWith("packages/cli/src/emulator/"))).toEqual([]);
  });
});
