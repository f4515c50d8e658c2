import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { SignerClient } from "../signer/client.ts";
import {
  clientOf,
  newKey,
  newOrganization,
  secondServer,
  startTestServer,
  type TestServer,
} from "../testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const account = {
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
};

const refusals = () => server.events.filter(({ event }) => event === "refused");

test("requests that overtake each other give the operator nothing to investigate", async () => {
  const { root, organizationId, rootKey, userId } = await newOrganization(server);
  const { addresses } = await root.createWallet({ walletName: "w", accounts: [account] });
  const keys = Array.from({ length: 4 }, () => newKey());
  const { userIds } = await root.createUsers({
    users: keys.map(({ publicKey }, index) => ({
      userName: `voter ${index}`,
      apiKeys: [{ apiKeyName: "k", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
      authenticators: [],
      oauthProviders: [],
      userTags: [],
    })),
  });
  const other = clientOf(secondServer(server), organizationId, rootKey);
  const clients = [root, other];
  const sign = (index: number) =>
    clients[index % 2]?.signRawPayload({
      signWith: addresses[0] ?? "",
      payload: index.toString(16).padStart(64, "0"),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_NO_OP",
    });
  const change = (index: number) =>
    clients[index % 2]?.createUserTag({ userTagName: `tag ${index}`, userIds: [] });
  const before = await Promise.allSettled(
    Array.from({ length: 60 }, (_, index) => (index % 5 === 0 ? change(index) : sign(index))),
  );
  expect(before.filter(({ status }) => status === "fulfilled").length).toBeGreaterThan(40);

  await root.updateRootQuorum({ threshold: 3, userIds: [userId, ...userIds] });
  for (let round = 0; round < 3; round++) {
    const waiting = await root
      .createUserTag({ userTagName: `voted ${round}`, userIds: [] })
      .catch((error) => error.activity);
    const votes = keys.map((key, index) => {
      const at = index % 2 === 0 ? server : secondServer(server);
      return clientOf(at, organizationId, key).approveActivity({
        fingerprint: waiting.fingerprint,
      });
    });
    await Promise.allSettled(votes);
  }
  expect(refusals()).toEqual([]);
});

test("a document that another process replaced long ago is read again before it is brought", async () => {
  const { root, organizationId, rootKey } = await newOrganization(server);
  const answers: string[] = [];
  const signer: SignerClient = {
    ...server.host.signer,
    async call(...request) {
      const answer = await server.host.signer.call(...request);
      answers.push(answer.kind);
      return answer;
    },
  };
  const other = clientOf(secondServer(server, { signer }), organizationId, rootKey);
  await other.createUserTag({ userTagName: "kept here", userIds: [] });
  await root.createUserTag({ userTagName: "made there", userIds: [] });
  answers.length = 0;
  const { now } = performance;
  const clock = vi
    .spyOn(performance, "now")
    .mockImplementation(() => now.call(performance) + 30_000);
  await other.createUserTag({ userTagName: "made here", userIds: [] });
  clock.mockRestore();
  expect(answers).toEqual(["need", "proposal", "confirmed"]);
});
