import { decodeBase58, encodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { createParsedInterfaces } from "@keyhearth/engine/chains/contract-interfaces";
import {
  addUser,
  first,
  solanaAccount,
  startWaiting,
} from "@keyhearth/engine/organization.testing";
import { activity as activityKind } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { expect, test } from "vitest";
import { IN_READER } from "../reader/allowance.ts";
import { findActivityByFingerprint } from "../store/activities.ts";
import { findDocument } from "../store/organizations.ts";
import { newOrganization } from "../testing.ts";
import { presentActivities } from "./present.ts";

test("an activity that can no longer be read is still shown, but nobody can vote on it", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const [ada, grace] = [await addUser(organization, "Ada"), await addUser(organization, "Grace")];
  await root.createPolicy({
    policyName: "two of us",
    effect: "EFFECT_ALLOW",
    consensus: "approvers.count() >= 2",
  });
  const { fingerprint } = await startWaiting(ada.client, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "treasury", accounts: [] },
  });
  const { db } = server.store;
  const found = await findActivityByFingerprint(db, organizationId, fingerprint);
  const stored = await findDocument(db, organizationId);
  const viewer = stored?.document.users.find(({ userId }) => userId === grace.userId);
  if (!found || !stored || !viewer) throw new Error("what was made is not there");
  const waiting = upcast(activityKind, readRecord(found.bytes));
  const refused = {
    ...waiting,
    votes: waiting.votes.map((vote) => ({
      ...vote,
      message: vote.message?.replace("treasury", "\\n") ?? null,
    })),
  };
  const activities = [waiting, refused];
  const { interfaces } = server.host;
  const warn = () => {};
  const viewed = { activities, stored, viewer, interfaces, warn, nowMs: Date.now() };
  const shown = await presentActivities(db, { ...viewed, allowance: IN_READER });
  expect(shown.map(({ canApprove }) => canApprove)).toEqual([true, false]);
});

test("a list of activities parses few interfaces that are not kept, and then nobody can vote", async () => {
  const organization = await newOrganization();
  const { root, server, organizationId } = organization;
  const [ada, grace] = [await addUser(organization, "Ada"), await addUser(organization, "Grace")];
  const { addresses } = await root.createWallet({ walletName: "w", accounts: [solanaAccount] });
  const signWith = first(addresses);
  const program = encodeBase58(new Uint8Array(32).fill(7));
  await root.createSmartContractInterface({
    smartContractAddress: program,
    smartContractInterface: JSON.stringify({
      instructions: [{ name: "deposit", discriminator: [9], accounts: [], args: [] }],
      types: [],
      docs: "x".repeat(3e5),
    }),
    type: "SMART_CONTRACT_INTERFACE_TYPE_SOLANA",
    label: "long",
  });
  await root.createPolicy({
    policyName: "two of us",
    effect: "EFFECT_ALLOW",
    condition:
      "solana.tx.instructions.all(i, i.parsed_instruction_data.instruction_name == 'deposit')",
    consensus: "approvers.count() >= 2",
  });
  const calls = Array.from({ length: 8 }, async (_, index) => {
    // One signer, who calls the program without accounts and with one byte of data.
    const keys = [...decodeBase58(signWith), ...decodeBase58(program)];
    const blockhash = new Uint8Array(32).fill(index + 1);
    const message = [1, 0, 1, 2, ...keys, ...blockhash, 1, 1, 0, 1, 9];
    const transaction = Uint8Array.from([1, ...new Uint8Array(64), ...message]);
    const { fingerprint } = await startWaiting(ada.client, "sign_transaction", {
      type: "ACTIVITY_TYPE_SIGN_TRANSACTION_V2",
      parameters: {
        signWith,
        type: "TRANSACTION_TYPE_SOLANA",
        unsignedTransaction: encodeHex(transaction),
      },
    });
    const found = await findActivityByFingerprint(server.store.db, organizationId, fingerprint);
    if (!found) throw new Error("what was made is not there");
    return upcast(activityKind, readRecord(found.bytes));
  });
  const activities = await Promise.all(calls);
  const { db } = server.store;
  const stored = await findDocument(db, organizationId);
  const viewer = stored?.document.users.find(({ userId }) => userId === grace.userId);
  if (!stored || !viewer) throw new Error("what was made is not there");
  const votable = async (bytes: number) => {
    let parsed = 0;
    const kept = createParsedInterfaces({ max: bytes, maxPerOrganization: bytes });
    const interfaces: typeof kept = {
      ...kept,
      counted: (onParse) =>
        kept.counted((characters) => {
          parsed += 1;
          onParse(characters);
        }),
    };
    const warn = () => {};
    const viewed = { activities, stored, viewer, interfaces, warn, nowMs: Date.now() };
    const shown = await presentActivities(db, { ...viewed, allowance: IN_READER });
    return { parsed, votable: shown.filter(({ canApprove }) => canApprove).length };
  };
  expect(await votable(1e6)).toEqual({ parsed: 1, votable: 8 });
  expect(await votable(0)).toEqual({ parsed: 6, votable: 3 });
});
