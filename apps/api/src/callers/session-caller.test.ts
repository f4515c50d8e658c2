import { addUser } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { queries } from "../queries/index.ts";
import { newChild, newFamily } from "../queries/queries.testing.ts";
import { newOrganization, startTestServer, type TestOrganization } from "../testing.ts";

/** Sends a request with a read-only session, and with a stamp if there is one. */
async function send(
  { server }: TestOrganization,
  {
    path,
    organizationId,
    session,
    more = {},
    headers = {},
  }: {
    path: string;
    organizationId: string;
    session: string;
    more?: object;
    headers?: Record<string, string>;
  },
) {
  const response = await server.fetch(`http://keyhearth.test/public/v1/${path}`, {
    method: "POST",
    body: JSON.stringify({ organizationId, ...more }),
    headers: { "X-Session": session, ...headers },
  });
  const answer = await response.json();
  return { status: response.status, code: answer.details?.[0]?.code, answer };
}

async function newSession(organization: TestOrganization, by = organization.root) {
  const { session } = await by.createReadOnlySession();
  return session;
}

test("a session reads as its user, without a stamp", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const session = await newSession(organization, grace.client);
  const { organizationId } = organization;
  const whoami = { path: "query/whoami", organizationId, session };
  expect((await send(organization, whoami)).answer).toEqual({
    organizationId,
    organizationName: "Test organization",
    userId: grace.userId,
    username: "Grace",
  });
  for (const { name, example } of queries) {
    const { organizationId: _, ...more } = example;
    const path = `query/${name}`;
    const { code } = await send(organization, { path, organizationId, session, more });
    expect(code ?? "answered", name).not.toMatch(/STAMP|(?<!OAUTH2_)CREDENTIAL/);
  }
});

test("a session of the parent reads its sub-organizations, and no other organization", async () => {
  const { parent, child } = await newFamily();
  const sibling = await newChild(parent, { name: "sibling" });
  const [ofParent, ofChild] = [await newSession(parent), await newSession(child)];
  const list = (organizationId: string, session: string) =>
    send(parent, { path: "query/list_users", organizationId, session });
  expect((await list(child.organizationId, ofParent)).status).toBe(200);
  expect((await list(child.organizationId, ofChild)).status).toBe(200);
  const stranger = await newOrganization();
  for (const { organizationId } of [parent, sibling, stranger]) {
    expect(await list(organizationId, ofChild)).toMatchObject({
      status: 401,
      code: "CREDENTIAL_NOT_FOUND",
    });
  }
  // Only whoami finds the sub-organization by its parent's id.
  const { organizationId } = parent;
  const whoami = await send(parent, { path: "query/whoami", organizationId, session: ofChild });
  expect(whoami.answer).toMatchObject({ organizationId: child.organizationId });
});

test("a session ends after an hour", async () => {
  const server = await startTestServer();
  try {
    const organization = await newOrganization(server);
    const { organizationId } = organization;
    const session = await newSession(organization);
    const ask = () => send(organization, { path: "query/whoami", organizationId, session });
    server.clock.offsetMs += 3_590_000;
    expect((await ask()).status).toBe(200);
    server.clock.offsetMs += 10_000;
    expect(await ask()).toMatchObject({
      status: 401,
      code: "CREDENTIAL_EXPIRED",
      answer: { message: expect.stringContaining("expired at") },
    });
  } finally {
    await server.stop();
  }
});

test("a stamp decides, if there is one", async () => {
  const organization = await newOrganization();
  const { organizationId, root } = organization;
  const other = await newOrganization();
  const session = await newSession(other);
  const whoami = { path: "query/whoami", organizationId };
  const response = await root.whoami();
  expect(response.organizationId).toBe(organizationId);
  const headers = { "X-Stamp": "rubbish" };
  const own = await newSession(organization);
  expect(await send(organization, { ...whoami, session: own, headers })).toMatchObject({
    status: 401,
    code: "STAMP_MALFORMED",
  });
  expect(await send(organization, { ...whoami, session })).toMatchObject({ status: 401 });
});
