import { verifyReceipts, verifyReceiptsExcerpt } from "@keyhearth/sdk/crypto";
import { expect, test } from "vitest";
import { sealSegments } from "../jobs/seal-segments.ts";
import { newOrganization, type TestServer } from "../testing.ts";

test("a page has whole segments with all their receipts, and says whether more follow", async () => {
  const { root, server } = await newOrganization();
  await root.createUserTag({ userTagName: "first", userIds: [] });
  await sealSegments(server.host);
  await root.createUserTag({ userTagName: "second", userIds: [] });
  await sealSegments(server.host);
  await root.createUserTag({ userTagName: "third", userIds: [] });

  const page = await root.getReceipts({ limit: "1" });
  expect(page).toMatchObject({ hasMore: true, unsealed: 1 });
  const report = verifyReceipts(page.receiptsFile, quorumKeyOf(server));
  expect(report).toMatchObject({ valid: true, segments: 1, receipts: 2, leavesNotShown: 0 });

  const rest = await root.getReceipts({ afterSegment: "1" });
  expect(rest).toMatchObject({ hasMore: false, unsealed: 1 });
  const from = report.lastSegment?.digest ?? "";
  expect(verifyReceipts(rest.receiptsFile, quorumKeyOf(server), { from })).toMatchObject({
    valid: true,
    receipts: 1,
    leavesNotShown: 0,
  });
  const end = await root.getReceipts({ afterSegment: "2" });
  expect(end).toMatchObject({ hasMore: false, receiptsFile: { segments: [], receipts: [] } });
});

test("for one activity, only its own receipts are returned, and none before it is sealed", async () => {
  const { root, server } = await newOrganization();
  const { activity } = await root.createUserTag({ userTagName: "one", userIds: [] });
  const activityId = activity.id;
  const before = await root.getReceipts({ activityId });
  expect(before).toMatchObject({
    hasMore: false,
    unsealed: 1,
    receiptsFile: { segments: [], receipts: [] },
  });
  await sealSegments(server.host);
  const { receiptsFile, unsealed } = await root.getReceipts({ activityId });
  expect(unsealed).toBe(0);
  const report = verifyReceiptsExcerpt(receiptsFile, quorumKeyOf(server));
  expect(report).toMatchObject({ valid: true, receipts: 1, leavesNotShown: 1 });
  expect(report.statements).toMatchObject([
    { activityId, fingerprint: activity.fingerprint, status: "ACTIVITY_STATUS_COMPLETED" },
  ]);
});

test("the receipt of a large activity is made without reading its record, also if it is an old one", async ({
  skip,
}) => {
  skip(Boolean(process.env.KEYHEARTH_TEST_CITUS), "it alters a row in a way that Citus refuses");
  const { root, server, organizationId } = await newOrganization();
  const { walletId } = await root.createWallet({ walletName: "w", accounts: [] });
  const { addresses } = await root.createWalletAccounts({
    walletId,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
  const { activity } = await root.signRawPayload({
    signWith: addresses[0] ?? "",
    payload: "x".repeat(20_000),
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  });
  await sealSegments(server.host);
  const edit = (change: string) =>
    server.store.run(
      "",
      `UPDATE activities SET ${change} WHERE organization_id = '${organizationId}'
       AND activity_id = '${activity.id}'`,
      [],
    );
  const expectReceipts = async () => {
    for (const parameters of [{}, { activityId: activity.id }]) {
      const { receiptsFile } = await root.getReceipts(parameters);
      const { statements } = verifyReceiptsExcerpt(receiptsFile, quorumKeyOf(server));
      const shown = statements.find(({ activityId }) => activityId === activity.id);
      expect(shown).toMatchObject({ fingerprint: activity.fingerprint });
    }
  };
  await expectReceipts();
  // As before statements were kept: it is read once.
  await edit("statement = NULL, statement_version = NULL");
  await expectReceipts();
  // A record that cannot be read.
  await edit("record = convert_to(repeat('x', octet_length(record)), 'UTF8')");
  await expectReceipts();
});

test("parameters that make no sense are refused", async () => {
  const { root } = await newOrganization();
  const { activity } = await root.createUserTag({ userTagName: "one", userIds: [] });
  for (const [field, parameters] of [
    ["limit", { limit: "0" }],
    ["limit", { limit: "101" }],
    ["limit", { limit: "ten" }],
    ["afterSegment", { afterSegment: "-1" }],
    ["limit", { activityId: activity.id, limit: "1" }],
    ["afterSegment", { activityId: activity.id, afterSegment: "1" }],
    ["activityId", { activityId: "x" }],
  ] as const) {
    const asked = root.getReceipts(parameters);
    await expect(asked).rejects.toMatchObject({ code: "FIELD_INVALID", httpStatus: 400, field });
  }
});

test("an activity of another organization is not found, and strangers see nothing", async () => {
  const { root, organizationId } = await newOrganization();
  const stranger = await newOrganization();
  const { activity } = await stranger.root.createUserTag({ userTagName: "one", userIds: [] });
  const foreign = root.getReceipts({ activityId: activity.id });
  await expect(foreign).rejects.toMatchObject({ httpStatus: 404 });
  const asked = stranger.root.getReceipts({}, { organizationId });
  await expect(asked).rejects.toMatchObject({ code: "CREDENTIAL_NOT_FOUND", httpStatus: 401 });
});

test("a parent may read the receipts of its sub-organization", async () => {
  const { root, rootKey, server } = await newOrganization();
  const { subOrganizationId } = await root.createSubOrganization({
    subOrganizationName: "child",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "root",
        apiKeys: [
          { apiKeyName: "key", publicKey: rootKey.publicKey, curveType: "API_KEY_CURVE_P256" },
        ],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  await sealSegments(server.host);
  const { receiptsFile } = await root.getReceipts({}, { organizationId: subOrganizationId });
  expect(receiptsFile.organizationId).toBe(subOrganizationId);
  const own = await root.getReceipts();
  const report = verifyReceipts(own.receiptsFile, quorumKeyOf(server));
  expect(report.statements.at(-1)).toMatchObject({
    activityType: expect.stringMatching(/^ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION/),
  });
});

function quorumKeyOf({ signer }: TestServer): string {
  const answer = signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error(`unexpected answer: ${answer.kind}`);
  return answer.quorumPublicKey;
}
