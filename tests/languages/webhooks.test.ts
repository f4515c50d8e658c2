// The programs that verify webhooks on the page, in each language, with a delivery of the moment from the real service,
// with the one that the page publishes, and with every way to spoil one.

import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { verifyWebhook } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDelivering } from "../../apps/api/src/jobs/webhooks/deliver.ts";
import { type Received, startReceiver } from "../../apps/api/src/jobs/webhooks/receiver.testing.ts";
import { isLong } from "../start/long-form.ts";
import { findLanguages, run } from "./toolchains.ts";

type Delivery = {
  jwks: { keys: { kid: string; x: string; crv: string }[] };
  headers: Record<string, string>;
  body: string;
  organizationIds: string[];
  nowMs?: number;
};

const folder = fileURLToPath(new URL("../../apps/website/snippets/webhooks/", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "keyhearth-webhooks-"));
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"));

const published: Delivery = read("delivery.json");
let server: TestServer;
let real: Delivery;
const closers: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];

const programs: Record<string, [string, ...string[]]> = {
  Go: ["go", "run", "verify.go"],
  Ruby: ["ruby", "-w", "verify.rb"],
  Python: ["", "-W", "error", "verify.py"],
  Rust: ["cargo", "run", "--locked", "--quiet", "--manifest-path", "rust/Cargo.toml", "--"],
};

const others = findLanguages(directory).map((language) => {
  const [first, ...rest] = programs[language.name] ?? [""];
  const program: [string, ...string[]] = [first || (language.program[0] ?? ""), ...rest];
  const environment = { ...language.environment, CARGO_TARGET_DIR: join(folder, "rust/target") };
  return { ...language, folder, environment, program };
});
const node = {
  name: "Node.js",
  missing: undefined,
  folder,
  unitTests: [process.execPath] as [string],
  program: [process.execPath, "verify.mjs"] as [string, ...string[]],
};
const languages = [node, ...others];

beforeAll(async () => {
  server = await startTestServer();
  closers.unshift(() => server.stop());
  const { promise: delivered, resolve } = Promise.withResolvers<Received>();
  const receiver = await startReceiver((received) => {
    resolve(received);
    return 200;
  });
  closers.unshift(() => receiver.close());
  server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
  const delivering = startDelivering(server.host, { timing: { idleMs: 10 } });
  closers.unshift(() => delivering.stop());
  const { root, organizationId } = await newOrganization(server);
  await root.createWebhookEndpoint({ url: receiver.url, name: "receiver" });
  await root.createUserTag({ userTagName: "Finanzas — ✓", userIds: [] });
  const { headers, body } = await delivered;
  const answer = await server.fetch("http://keyhearth.test/public/v1/discovery/webhooks/jwks");
  real = {
    jwks: await answer.json(),
    headers: { ...headers } as Record<string, string>,
    organizationIds: [randomUUID(), organizationId],
    body,
  };
});

afterAll(async () => {
  for (const close of closers) await close();
});

test("the delivery on the page verifies, and its body is the event on the page", () => {
  const { nowMs = 0, organizationIds, ...delivery } = published;
  const isOurs = (id: string) => organizationIds.includes(id);
  const { activity } = verifyWebhook({ ...delivery, nowMs, isOurs });
  expect(activity).toEqual(read("event.json"));
});

test("the service sends the headers and the members that the page shows", () => {
  const named = (headers: Record<string, string>) =>
    Object.keys(headers)
      .filter((name) => name.startsWith("x-turnkey-"))
      .sort();
  expect(named(real.headers)).toEqual(named(published.headers));
  const page = readFileSync(join(folder, "../../docs/developer-reference/webhooks.mdx"), "utf8");
  for (const name of named(real.headers)) expect(page.toLowerCase()).toContain(`\`${name}\``);
  const members = (body: string) => Object.keys(JSON.parse(body)).sort();
  expect(members(real.body)).toEqual(members(published.body));
});

// The one that is compiled for the longest time verifies in the long form.
const present = languages.filter(({ missing }) => missing === undefined);
const tested = present.filter(({ name }) => isLong || name !== "Rust");

describe.each(tested)("$name", (language) => {
  let runs = 0;

  async function verify(delivery: Delivery) {
    runs += 1;
    const file = join(directory, `${language.name}-${runs}.json`);
    writeFileSync(file, JSON.stringify(delivery));
    const { code, stdout } = await run(language, [...language.program, file]);
    return { isVerified: code === 0, stdout: stdout.trim() };
  }
  const refused = { isVerified: false, stdout: "" };

  test("verifies a delivery of the moment, and the one on the page", async () => {
    const stdout = "ACTIVITY_TYPE_CREATE_USER_TAG: ACTIVITY_STATUS_COMPLETED";
    expect(await verify(real)).toEqual({ isVerified: true, stdout });
    expect(await verify(published)).toEqual({ isVerified: true, stdout });
  }, 240_000);

  test("refuses what the service signed about the organization of another tenant", async () => {
    for (const organizationIds of [[], [randomUUID()], published.organizationIds]) {
      expect(await verify({ ...real, organizationIds })).toEqual(refused);
    }
  }, 120_000);

  test("refuses what was changed, forged, named wrongly or is old", async () => {
    const withHeader = (name: string, value: string) =>
      verify({ ...real, headers: { ...real.headers, [`x-turnkey-${name}`]: value } });
    const { "x-turnkey-signature": signature = "", "x-turnkey-timestamp": timestamp = "" } =
      real.headers;
    expect(await verify({ ...real, body: real.body.replace("COMPLETED", "FAILED") })).toEqual(
      refused,
    );
    expect(await verify({ ...real, body: `${real.body} ` })).toEqual(refused);
    expect(await withHeader("event-id", "464d4154-fde6-4c59-ae02-a6af90487e97")).toEqual(refused);
    expect(await withHeader("timestamp", String(Number(timestamp) + 1))).toEqual(refused);
    const flipped = signature.startsWith("0") ? "1" : "0";
    expect(await withHeader("signature", flipped + signature.slice(1))).toEqual(refused);
    expect(await withHeader("signature", "")).toEqual(refused);
    expect(await verify({ ...real, nowMs: Number(timestamp) + 300_001 })).toEqual(refused);
    // A key of somebody else under the id of the signer's, and the signer's under another id.
    const [key] = real.jwks.keys;
    const [foreign] = published.jwks.keys;
    if (!key || !foreign) throw new Error("a key set is empty");
    expect(await verify({ ...real, jwks: { keys: [{ ...foreign, kid: key.kid }] } })).toEqual(
      refused,
    );
    expect(await verify({ ...real, jwks: { keys: [foreign] } })).toEqual(refused);
  }, 120_000);
});
