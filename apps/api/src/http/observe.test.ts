import { addUser } from "@keyhearth/engine/organization.testing";
import { beforeEach, expect, test } from "vitest";
import { createLog } from "../observability/log.ts";
import { fetchOf, newOrganization, startTestServer } from "../testing.ts";

type Line = Record<string, unknown>;
let lines: Line[];
beforeEach(() => {
  lines = [];
});

/** A server whose log is read. */
async function withLog(level: "info" | "warn" = "info") {
  const log = createLog({ level, destination: { write: (line) => lines.push(JSON.parse(line)) } });
  const started = await startTestServer();
  const server = { ...started, fetch: fetchOf({ ...started.host, log }) };
  return { server, organization: await newOrganization(server) };
}

const requests = (path: string) =>
  lines
    .filter(({ msg, path: logged }) => msg === "request" && String(logged).includes(path))
    .map(({ level, status, code, organizationId, userId }) => ({
      level,
      status,
      code,
      organizationId,
      userId,
    }));

test("a line says whose request it was, and a refusal is a warning with its code", async () => {
  const { server, organization } = await withLog();
  const { root, userId, organizationId } = organization;
  const { client, userId: graceId } = await addUser(organization, "Grace");
  const wallet = { walletName: "w", accounts: [] };
  const at = { organizationId };
  try {
    await root.whoami();
    expect(requests("whoami")).toEqual([{ level: "info", status: 200, ...at, userId }]);
    await client.createWallet(wallet).catch(() => {});
    const denied = { level: "warn", status: 403, code: "POLICY_DENIED", ...at, userId: graceId };
    expect(requests("create_wallet")).toEqual([denied]);
    await root.createWallet(wallet);
    await root.createWallet(wallet).catch(() => {});
    const taken = { level: "warn", status: 409, code: "NAME_TAKEN", ...at, userId };
    expect(requests("create_wallet").slice(1)).toEqual([
      { level: "info", status: 200, ...at, userId },
      taken,
    ]);
    // Refused by the host, before anybody looks at the stamp.
    await root.createWallet({ walletName: "" } as never).catch(() => {});
    expect(requests("create_wallet").at(-1)).toEqual({
      level: "warn",
      status: 400,
      code: "FIELD_INVALID",
      ...at,
    });
  } finally {
    await server.stop();
  }
});

test("without a stamp that verifies nobody is the sender, and the organization is the named one", async () => {
  const { server, organization } = await withLog("warn");
  const { organizationId } = organization;
  const whoami = "http://keyhearth/public/v1/query/whoami";
  const ask = (body: string) => server.fetch(whoami, { method: "POST", body });
  try {
    await ask(JSON.stringify({ organizationId }));
    await ask(JSON.stringify({ organizationId: "x\u001b[2J" }));
    await ask(JSON.stringify({ organizationId, more: "x".repeat(20_000) }));
    await ask("{");
    const refused = { level: "warn", status: 401, code: "STAMP_MISSING" };
    expect(requests("whoami").slice(0, 2)).toEqual([
      { ...refused, organizationId },
      { level: "warn", status: 400, code: "ORGANIZATION_ID_MALFORMED" },
    ]);
    expect(requests("whoami").slice(2)).toHaveLength(2);
    expect(requests("whoami").slice(2)).not.toContainEqual(
      expect.objectContaining({ organizationId: expect.anything() }),
    );
    // Strangers do not fill the log.
    for (let i = 0; i < 300; i++) await ask("{");
    expect(requests("whoami").length).toBeLessThan(110);
  } finally {
    await server.stop();
  }
});

test("answers that nobody needs a key for fill no more than a hundred lines of each kind in a minute", async () => {
  const { server, organization } = await withLog();
  try {
    for (let i = 0; i < 300; i++) {
      await server.fetch(`http://keyhearth/page-${i}`, { method: "HEAD" });
      await server.fetch("http://keyhearth/.well-known/keyhearth.json");
    }
    expect(requests("/page-").length).toBe(100);
    expect(requests("/.well-known").length).toBeLessThanOrEqual(100);
    // Those of users are all there.
    for (let i = 0; i < 110; i++) await organization.root.whoami();
    expect(requests("whoami")).toHaveLength(110);
  } finally {
    await server.stop();
  }
});
