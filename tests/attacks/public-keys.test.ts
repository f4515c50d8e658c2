import { newKey, type TestKey } from "@keyhearth/api/testing";
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
  makeWallet,
  newVictim,
  type Person,
  perform,
  proposalFor,
  recordOf,
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
