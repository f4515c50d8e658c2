import { clientOf, newKey, type TestKey } from "@keyhearth/api/testing";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addKey,
  addUser,
  apiKey,
  ask,
  bytesOf,
  expectRefused,
  knock,
  makeSubOrganization,
  makeWallet,
  newVictim,
  type Person,
  perform,
  proposalFor,
  recordOf,
  resultOf,
  startAttackedServer,
  type Victim,
  writtenBy,
} from "./attacker.ts";

// Public keys are public. Registering somebody else's key must not turn its holder's requests into
// those of another user.

let server: Attacked;

beforeAll(async () => {
  server = await startAttackedServer();
});

afterAll(() => server?.stop());

test("another user's session key is not registered, in any form", async () => {
  const victim = await newVictim(server);
  const [root] = victim.people;
  const clerk = await addUser(server, victim);
  const session = newKey();
  await perform(server, victim, addKey(root, session, "3600"));

  const attempts: [Ask, TestKey][] = [
    [addKey(clerk, session), clerk.key],
    [addKey(clerk, session, "3600"), clerk.key],
    [addKey(root, session), root.key],
    [newUserWith(session), root.key],
    [newUserWith(newKey(), session), root.key],
  ];
  for (const [what, key] of attempts) {
    await expectRefused(server, [victim.organizationId], () => ask(server, victim, what, key), {
      status: 409,
      reason: "PUBLIC_KEY_TAKEN",
    });
  }
  // The key still stands for its own user.
  await perform(server, victim, makeWallet("by the session"), session);
});

test("a key that strangers register in their own sub-organizations logs its owner in by the parent's id", async () => {
  const parent = await newVictim(server);
  const newChild = async (key: TestKey): Promise<Victim> => {
    const reply = await perform(server, parent, makeSubOrganization(key));
    const made = resultOf(reply, "createSubOrganizationResultV7");
    const [userId = ""] = made.rootUserIds as string[];
    return { organizationId: String(made.subOrganizationId), people: [{ userId, key }] };
  };
  const ada = await newChild(newKey());
  const { key } = ada.people[0];
  const strangers = [await newChild(newKey()), await newChild(newKey())];
  const [mallory, eve] = strangers as [Victim, Victim];
  await perform(server, mallory, addKey(mallory.people[0], key));
  await perform(server, eve, newUserWith(key));
  for (const login of ["stamp_login", "create_read_write_session"]) {
    const reply = await perform(server, parent, logIn(login), key);
    expect(JSON.stringify(reply.activity)).toContain(ada.organizationId);
  }
  expect(await clientOf(server, parent.organizationId, key).whoami()).toMatchObject({
    organizationId: ada.organizationId,
  });
  // A key that was registered later is of one of them only as long as nobody else has it.
  const later = newKey();
  await perform(server, ada, addKey(ada.people[0], later));
  const who = () => clientOf(server, parent.organizationId, later).whoami();
  expect(await who()).toMatchObject({ organizationId: ada.organizationId });
  await perform(server, mallory, addKey(mallory.people[0], later));
  await expect(who()).rejects.toThrow("more than one suborg");
  const named = clientOf(server, ada.organizationId, later);
  expect(await named.whoami()).toMatchObject({ organizationId: ada.organizationId });
});

test("a key that a user of the parent registers too logs its owner in by the parent's id, and so does a session with it", async () => {
  const parent = await newVictim(server);
  const clerk = await addUser(server, parent);
  const newChild = async (key: TestKey) => {
    const reply = await perform(server, parent, makeSubOrganization(key));
    return String(resultOf(reply, "createSubOrganizationResultV7").subOrganizationId);
  };
  const [one, two] = [newKey(), newKey()];
  const homes = [
    { key: one, organizationId: await newChild(one) },
    { key: two, organizationId: await newChild(two) },
  ];
  // Neither needs a permission.
  await perform(server, parent, addKey(clerk, one), clerk.key);
  const { endpoint, type } = logIn("stamp_login");
  const session = { endpoint, type, parameters: { publicKey: two.publicKey } };
  await perform(server, parent, session, clerk.key);
  for (const { key, organizationId } of homes) {
    for (const login of ["stamp_login", "create_read_write_session", "create_read_only_session"]) {
      const { activity } = await perform(server, parent, logIn(login), key);
      expect(activity).toMatchObject({ organizationId });
    }
    const client = clientOf(server, parent.organizationId, key);
    expect(await client.whoami()).toMatchObject({ organizationId });
  }
});

test("a key that users of the parent alone have logs in there, and so does one that they were given", async () => {
  const parent = await newVictim(server);
  const clerk = await addUser(server, parent);
  const [added, given] = [newKey(), newKey()];
  await perform(server, parent, addKey(clerk, added), clerk.key);
  await perform(server, parent, addKey(clerk, given));
  await perform(server, parent, makeSubOrganization(given));
  for (const key of [added, given]) {
    const { activity } = await perform(server, parent, logIn("stamp_login"), key);
    expect(activity).toMatchObject({ organizationId: parent.organizationId });
    const client = clientOf(server, parent.organizationId, key);
    expect(await client.whoami()).toMatchObject({ userId: clerk.userId });
  }
});

function logIn(endpoint: string): Ask {
  switch (endpoint) {
    case "stamp_login":
      return {
        endpoint,
        type: "ACTIVITY_TYPE_STAMP_LOGIN",
        parameters: { publicKey: newKey().publicKey },
      };
    case "create_read_only_session":
      return { endpoint, type: "ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION", parameters: {} };
    default:
      return {
        endpoint,
        type: "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2",
        parameters: { targetPublicKey: createTargetKey().targetPublicKey },
      };
  }
}

test("a key that two users hold authenticates nobody", async () => {
  const victim = await newVictim(server);
  const [root] = victim.people;
  const clerk = await addUser(server, victim);
  const session = newKey();
  await perform(server, victim, addKey(root, session, "3600"));
  const sessions = await sessionsOf(victim, root);
  // A host that hides the session lets the clerk register its key.
  const hidden = await proposalFor(server, victim, addKey(clerk, session));
  server.signer.handle({ call: "confirm", ticket: hidden.ticket ?? "" });
  const document = writtenBy(hidden, "organization");
  const body = bytesOf(server, victim.organizationId, makeWallet());
  const answer = knock(server, {
    endpoint: "create_wallet",
    body,
    key: session,
    records: [document, sessions],
  });
  expect(answer).toMatchObject({ kind: "error", error: { reason: "CREDENTIAL_AMBIGUOUS" } });
});

function newUserWith(key: TestKey, expiring?: TestKey): Ask {
  return {
    endpoint: "create_users",
    type: "ACTIVITY_TYPE_CREATE_USERS_V3",
    parameters: {
      users: [
        {
          userName: "another user",
          apiKeys: [apiKey(key), ...(expiring ? [apiKey(expiring, "60")] : [])],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    },
  };
}

function sessionsOf({ organizationId }: Victim, { userId }: Person) {
  const text =
    "SELECT record FROM sessions WHERE organization_id = $1::uuid AND user_id = $2::uuid";
  return recordOf(server, text, [organizationId, userId]);
}
