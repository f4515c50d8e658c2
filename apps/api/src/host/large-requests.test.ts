import {
  addUser,
  bodyOf,
  ethereumAccount,
  first,
  impatient,
  post,
  refusal,
  startWaiting,
  submit,
  type TestUser,
  withoutRetries,
} from "@keyhearth/engine/organization.testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { FamilySignup, Owner } from "../fairness/families.ts";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestClient,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";
import { createLargeRequests, LARGE_LENGTH, NO_WAITING } from "./large-requests.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
afterEach(() => {
  server.host.largeRequests = NO_WAITING;
});

/** Half a second for each large request after the second one. */
const limits = {
  organization: { perSecond: 2 * LARGE_LENGTH, atOnce: 2 * LARGE_LENGTH },
  subOrganizations: { perSecond: 2 * LARGE_LENGTH, atOnce: 2 * LARGE_LENGTH },
  signups: { perSecond: 2 * LARGE_LENGTH, atOnce: 3 * LARGE_LENGTH },
  waitMs: 10_000,
};

async function newSigning({ root }: Pick<TestOrganization, "root">) {
  const { addresses } = await root.createWallet({
    walletName: "wallet",
    accounts: [ethereumAccount],
  });
  let count = 0;
  return (client = root, length = LARGE_LENGTH) =>
    client.signRawPayload({
      signWith: first(addresses),
      payload: `${++count} `.padEnd(length, "x"),
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    });
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

test("large requests of one organization wait, and small ones and those of others do not", async () => {
  const sign = await newSigning(await newOrganization(server));
  const signElsewhere = await newSigning(await newOrganization(server));
  for (let i = 0; i < 5; i++) await Promise.all([sign(), signElsewhere()]);
  server.host.largeRequests = createLargeRequests(limits);
  const all = seconds(() => Promise.all(Array.from({ length: 8 }, () => sign())));
  const others = await seconds(async () => {
    await signElsewhere();
    await sign(undefined, 100);
  });
  expect(await all).toBeGreaterThan(2);
  expect(others).toBeLessThan((await all) / 2);
});

test("sub-organizations share what they may send, beside their application", async () => {
  server.host.largeRequests = createLargeRequests(limits);
  const parent = await newOrganization(server);
  const subs = await Promise.all(
    ["one", "two", "three", "four"].map(async (subOrganizationName) => {
      const key = newKey();
      const apiKeys = [
        { apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" as const },
      ];
      const person = { userName: "Ada", apiKeys, authenticators: [], oauthProviders: [] };
      const { subOrganizationId } = await parent.root.createSubOrganization({
        subOrganizationName,
        rootQuorumThreshold: 1,
        rootUsers: [person],
      });
      return newSigning({ root: clientOf(server, subOrganizationId, key) });
    }),
  );
  const sign = await newSigning(parent);
  const ofSubs = seconds(() =>
    Promise.all(
      subs.map(async (each) => {
        await each();
        await each();
      }),
    ),
  );
  const ofParent = await seconds(() => sign());
  expect(await ofSubs).toBeGreaterThan(0.4);
  expect(ofParent).toBeLessThan((await ofSubs) / 2);
});

test("what strangers send is not charged, and who would wait too long is told so", async () => {
  const slow = { perSecond: LARGE_LENGTH, atOnce: 2 * LARGE_LENGTH };
  server.host.largeRequests = createLargeRequests({ ...limits, organization: slow, waitMs: 400 });
  const organization = await newOrganization(server);
  const sign = await newSigning(organization);
  const stranger = clientOf(server, organization.organizationId, newKey());
  for (let i = 0; i < 5; i++) {
    expect((await refusal(sign(stranger))).httpStatus).toBe(401);
  }
  await sign();
  await sign();
  await sign();
  expect(await refusal(sign(impatient(organization)))).toMatchObject({
    httpStatus: 429,
    code: "RATE_LIMITED",
    message: expect.stringContaining("send the same bytes again in a few seconds"),
  });
  // The client waits and sends the same bytes again.
  await sign();
});

describe("an organization with many credentials", () => {
  /** Its document has more than 200 KiB. */
  async function newLarge() {
    const organization = await newOrganization(server);
    const { root } = organization;
    const keys = Array.from({ length: 10 }, (_, i) => `key ${i}`);
    const userOf = (userName: string) => ({
      userName,
      apiKeys: keys.map((apiKeyName) => ({
        apiKeyName,
        publicKey: newKey().publicKey,
        curveType: "API_KEY_CURVE_P256" as const,
      })),
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    });
    for (let i = 0; i < 8; i++) {
      await root.createUsers({ users: keys.map((key) => userOf(`user ${i} of ${key}`)) });
    }
    return organization;
  }

  let count = 0;
  const change = ({ root, userId }: TestOrganization, client = root) =>
    client.updateUserName({ userId, userName: `name ${++count}` });

  test("waits with changes, however small they are, and holds up nobody meanwhile", async () => {
    const [large, small] = [await newLarge(), await newOrganization(server)];
    const sign = await newSigning(large);
    server.host.largeRequests = createLargeRequests(limits);
    const all = seconds(async () => {
      for (let i = 0; i < 6; i++) await change(large);
    });
    const others = await seconds(async () => {
      for (let i = 0; i < 6; i++) await change(small);
      for (let i = 0; i < 6; i++) await sign(undefined, 100);
    });
    expect(await all).toBeGreaterThan(1.5);
    expect(others).toBeLessThan((await all) / 2);
  });

  test("lets a user who used little pass one who fills its pace without a permission", async () => {
    const large = await newLarge();
    const { client } = await addUser(large, "without permissions");
    const organization = { perSecond: 1, atOnce: 4 * LARGE_LENGTH };
    server.host.largeRequests = createLargeRequests({ ...limits, organization, waitMs: 0 });
    const hasty = impatient(large);
    const codes: string[] = [];
    for (let i = 0; i < 6; i++) codes.push((await refusal(change(large, client))).code);
    expect(codes).toContain("POLICY_DENIED");
    expect(codes.at(-1)).toBe("RATE_LIMITED");
    await change(large, hasty);
    expect(await refusal(change(large, hasty))).toMatchObject({ code: "RATE_LIMITED" });
  });

  test("does not wait with signatures that others change it meanwhile", async () => {
    const large = await newLarge();
    const { root } = large;
    const sign = await newSigning(large);
    await sign(root, 100);
    let charged = 0;
    server.host.largeRequests = {
      ...NO_WAITING,
      async wait() {
        charged += 1;
      },
    };
    let isDone = false;
    const signing = Array.from({ length: 20 }, async () => {
      while (!isDone) await sign(root, 100);
    });
    for (let i = 0; i < 10; i++) await change(large);
    isDone = true;
    await Promise.all(signing);
    // If each signature that lost to a change read the document again, there would be more than a hundred.
    expect(charged).toBeGreaterThanOrEqual(10);
    expect(charged).toBeLessThan(80);
  }, 30_000);

  test("is not read again for bytes that are sent again while they wait for votes", async () => {
    const large = await newLarge();
    const { root, userId, organizationId } = large;
    const { userId: other } = await addUser(large, "other");
    await root.updateRootQuorum({ threshold: 2, userIds: [userId, other] });
    const body = bodyOf(organizationId, {
      type: "ACTIVITY_TYPE_CREATE_USER_TAG",
      parameters: { userTagName: `tag ${++count}`, userIds: [] },
    });
    await post(root, "create_user_tag", body);
    const before = server.host.cache.document(organizationId);
    expect(before).toBeDefined();
    await post(root, "create_user_tag", body);
    // Otherwise, whoever sends them again has others read and pay for the document.
    expect(server.host.cache.document(organizationId)).toBe(before);
  });

  test("waits if its document has to be read again, and not for strangers", async () => {
    const large = await newLarge();
    const sign = await newSigning(large);
    const organization = { perSecond: 1000, atOnce: LARGE_LENGTH };
    server.host.largeRequests = createLargeRequests({ ...limits, organization, waitMs: 0 });
    const { organizationId } = large;
    const stranger = clientOf(server, organizationId, newKey());
    for (let i = 0; i < 5; i++) {
      server.host.cache.forgetDocument(organizationId);
      expect((await refusal(sign(stranger, 100))).httpStatus).toBe(401);
      expect((await refusal(change(large, stranger))).httpStatus).toBe(401);
    }
    const hasty = impatient(large);
    server.host.cache.forgetDocument(organizationId);
    await sign(hasty, 100);
    await sign(hasty, 100);
    server.host.cache.forgetDocument(organizationId);
    expect(await refusal(sign(hasty, 100))).toMatchObject({
      httpStatus: 429,
      code: "RATE_LIMITED",
      message: expect.stringContaining("changes of a large organization"),
    });
  });
});

describe("votes about a large activity", () => {
  /** An organization in which all must agree, and an activity of this size that waits for it. */
  async function newVoters() {
    const organization = await newOrganization(server);
    const { root, userId, organizationId } = organization;
    const { addresses } = await root.createWallet({
      walletName: "wallet",
      accounts: [ethereumAccount],
    });
    const voters: TestUser[] = [];
    for (let i = 0; i < 6; i++) voters.push(await addUser(organization, `voter ${i}`));
    const userIds = [userId, ...voters.map((each) => each.userId)];
    await root.updateRootQuorum({ threshold: userIds.length, userIds });
    const requestOf = (length: number) => ({
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      parameters: {
        signWith: first(addresses),
        payload: "".padEnd(length, "x"),
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_SHA256",
      },
    });
    const start = (length: number) => startWaiting(root, "sign_raw_payload", requestOf(length));
    return { root, organizationId, voters, requestOf, start };
  }

  const approve = (client: TestClient, fingerprint: string) =>
    submit(client, "approve_activity", {
      type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
      parameters: { fingerprint },
    });

  test("wait as long as requests of that size, and hold up nobody meanwhile", async () => {
    const { voters, start } = await newVoters();
    const [large, small] = [await start(LARGE_LENGTH), await start(100)];
    server.host.largeRequests = createLargeRequests(limits);
    const all = seconds(() =>
      Promise.all(voters.map(({ client }) => approve(client, large.fingerprint))),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    // These take the organization's turn too.
    const others = await seconds(() =>
      Promise.all(voters.map(({ client }) => approve(client, small.fingerprint))),
    );
    expect(await all).toBeGreaterThan(1.5);
    expect(others).toBeLessThan((await all) / 2);
  });

  test("wait for what the activity has become, if each of them sends its bytes again", async () => {
    const { root, voters, requestOf, organizationId } = await newVoters();
    server.host.largeRequests = createLargeRequests(limits);
    const body = bodyOf(organizationId, requestOf(40_000));
    await post(root, "sign_raw_payload", body);
    const all = await seconds(async () => {
      for (const { client } of voters) await post(client, "sign_raw_payload", body);
    });
    expect(all).toBeGreaterThan(1.5);
  });

  test("are not charged if strangers send them, and are refused if they would wait too long", async () => {
    const { voters, start, organizationId } = await newVoters();
    const { fingerprint } = await start(LARGE_LENGTH);
    const organization = { perSecond: 1000, atOnce: LARGE_LENGTH };
    server.host.largeRequests = createLargeRequests({ ...limits, organization, waitMs: 0 });
    const stranger = clientOf(server, organizationId, newKey());
    for (let i = 0; i < 5; i++) {
      expect((await refusal(approve(stranger, fingerprint))).httpStatus).toBe(401);
    }
    const hasty = { ...server, fetch: withoutRetries(server.fetch) };
    const [one, two] = voters.map(({ key }) => clientOf(hasty, organizationId, key));
    if (!one || !two) throw new Error("no voters");
    expect((await approve(one, fingerprint)).votes).toHaveLength(2);
    expect(await refusal(approve(two, fingerprint))).toMatchObject({
      httpStatus: 429,
      code: "RATE_LIMITED",
      message: expect.stringContaining("votes about large activities"),
    });
  });
});

describe("families that signed up", () => {
  const strict = { ...limits, waitMs: 0 };
  const at = (network: string, site: string | null = null) => ({ network, site });
  const familyAt = (familyId: string, signup: FamilySignup | null) => ({
    organizationId: familyId,
    familyId,
    signup,
  });

  /** Whether each of these may send one more at once. */
  async function admitted(owners: Owner[], { signups } = strict): Promise<boolean[]> {
    const requests = createLargeRequests({ ...strict, signups });
    const outcomes = [];
    for (const owner of owners) {
      const wait = requests.wait(owner, 2 * LARGE_LENGTH);
      outcomes.push(
        await wait.then(
          () => true,
          () => false,
        ),
      );
    }
    return outcomes;
  }

  test("from one place share what one family has, applications apart from their users", async () => {
    const [ada, bob] = [familyAt("ada", at("one", "site")), familyAt("bob", at("two", "site"))];
    const user = { ...bob, organizationId: "user" };
    const eve = familyAt("eve", at("three"));
    expect(await admitted([ada, bob])).toEqual([true, true]);
    const ofPlace = { ...strict, signups: { perSecond: 1, atOnce: 100 * LARGE_LENGTH } };
    expect(await admitted([ada, bob, bob], ofPlace)).toEqual([true, true, false]);
    expect(await admitted([ada, bob, user, user], ofPlace)).toEqual([true, true, true, true]);
    expect(await admitted([ada, eve])).toEqual([true, true]);
  });

  test("have a pace together, of which the operator's own take nothing", async () => {
    const [one, two] = ["one", "two"].map((place) => familyAt(place, at(place))) as [Owner, Owner];
    const strangers = [one, two, two];
    const own = ["a", "b", "c", "d"].map((id) => familyAt(id, null));
    expect(await admitted([...strangers, ...own])).toEqual([
      true,
      true,
      false,
      ...own.map(() => true),
    ]);
    expect(await admitted([...own, ...strangers])).toEqual([
      ...own.map(() => true),
      true,
      true,
      false,
    ]);
  });
});

test("users who used little pass others of their organization, and all of them use twice as much at most", async () => {
  const pace = { perSecond: 1, atOnce: 8 * LARGE_LENGTH };
  const requests = createLargeRequests({ ...limits, organization: pace, waitMs: 0 });
  const owner = { organizationId: "large", familyId: "large" };
  const isAdmitted = (user?: string) =>
    requests.wait(owner, LARGE_LENGTH, user).then(
      () => true,
      () => false,
    );
  const admitted = async (users: (string | undefined)[]) => {
    let count = 0;
    for (const user of users) if (await isAdmitted(user)) count += 1;
    return count;
  };
  expect(await admitted(Array.from({ length: 20 }, () => "often"))).toBe(9);
  expect(await admitted([undefined, "often"])).toBe(0);
  expect(await admitted(["little", "little", "little"])).toBe(2);
  expect(await admitted(Array.from({ length: 20 }, (_, i) => `other ${i}`))).toBe(6);
});

describe("an organization that used little", () => {
  const at = (network: string) => ({ network, site: null });
  const many = ["one", "two", "three", "four"];
  type Other = [name: string, of: (id: string) => Owner];
  const others: Other[] = [
    [
      "other sub-organizations of its parent",
      (organizationId) => ({ organizationId, familyId: "parent" }),
    ],
    ["others of its place", (id) => ({ organizationId: id, familyId: id, signup: at("a place") })],
    [
      "others that signed up elsewhere",
      (id) => ({ organizationId: id, familyId: id, signup: at(id) }),
    ],
  ];

  test.each(others)("is not kept waiting by %s", async (_, of) => {
    const requests = createLargeRequests({
      organization: { perSecond: 1, atOnce: 8 * LARGE_LENGTH },
      subOrganizations: { perSecond: 1, atOnce: 8 * LARGE_LENGTH },
      signups: { perSecond: 1, atOnce: 8 * LARGE_LENGTH },
      waitMs: 0,
    });
    const isAdmitted = (id: string, size = 2) =>
      requests.wait(of(id), size * LARGE_LENGTH).then(
        () => true,
        () => false,
      );
    // They keep it full by asking most often.
    const asked = [];
    for (let i = 0; i < 8; i++) for (const id of many) asked.push(await isAdmitted(id));
    expect(asked.filter((each) => each)).toHaveLength(5);
    expect(await isAdmitted("little", 1)).toBe(true);
    expect(await isAdmitted("little", 1)).toBe(true);
    expect(await isAdmitted("little", 1)).toBe(false);
    // Nor do many who used little take more than twice as much.
    const more = [];
    for (let i = 0; i < 8; i++) more.push(await isAdmitted(`other ${i}`));
    expect(more.filter((each) => each)).toHaveLength(3);
  });
});
