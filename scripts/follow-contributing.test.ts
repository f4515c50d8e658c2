import { glob, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyTree, followSection, outputOf, patch, typeErrorsOf } from "./follow-page.testing.ts";

// Follows "Add a record" and "Add a chain" in CONTRIBUTING.md in one copy of the tree, and adds exactly what
// the page shows.

/**
 * An activity that keeps a note and returns the previous one, because only activities write
 * records.
 */
const setWalletNote = `
import * as z from "zod";
import { notFound } from "../errors.ts";
import { label, WalletId } from "../fields/schemas.ts";
import { findWalletLine } from "../records/wallet.ts";
import { defineActivity } from "../declare/define.ts";

export const setWalletNote = defineActivity({
  name: "set_wallet_note",
  tag: "Wallets",
  summary: "Set wallet note",
  description: "Keep a note for a wallet.",
  policy: { resource: "WALLET", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_SET_WALLET_NOTE",
  versions: {
    ACTIVITY_TYPE_SET_WALLET_NOTE: {
      intentKey: "setWalletNoteIntent",
      resultKey: "setWalletNoteResult",
      intent: z.strictObject({ walletId: WalletId, text: label("The note.") }),
      result: z.strictObject({ before: z.string().nullable() }),
    },
  },
  example: { walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f", text: "cold" },
  changes: "records",
  wants: ({ walletId }) => [{ type: "wallet-note", walletId }],
  check({ document }, { walletId }) {
    if (!findWalletLine(document, walletId)) throw notFound("parameters.walletId", "wallet", walletId);
  },
  execute({ records, write, nowMs }, { walletId, text }) {
    const before = records.walletNote(walletId)?.text ?? null;
    write.walletNote({ walletId, text, updatedAtMs: nowMs });
    return { before };
  },
});
`;

/** Sets three notes over HTTP, and prints the answers and what the database holds. */
const noteProgram = `
import { newOrganization } from "./testing.ts";

const { server, root, organizationId } = await newOrganization();
const { walletId } = await root.createWallet({ walletName: "treasury", accounts: [] });
const results = [];
for (const text of ["first", "second", "third"]) {
  const body = JSON.stringify({
    type: "ACTIVITY_TYPE_SET_WALLET_NOTE",
    timestampMs: String(Date.now()),
    organizationId,
    parameters: { walletId, text },
  });
  const { activity } = await root.request("/public/v1/submit/set_wallet_note", body);
  const { status, result } = activity as {
    status: string;
    result: { setWalletNoteResult: { before: string | null } };
  };
  results.push({ status, ...result.setWalletNoteResult });
}
const rows = await server.store.run("", "SELECT * FROM wallet_notes WHERE wallet_id = $1::uuid", [
  walletId,
]);
await server.stop();
const shown = rows.map(({ version }) => ({ version }));
console.log(JSON.stringify({ results, rows: shown }));
process.exit(0);
`;

/** Signs payments of the chain over HTTP, and prints the address, the answers and whether the signature is right. */
const paymentProgram = `
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { verifyEd25519 } from "@keyhearth/crypto/keys/verify";
import { addUser } from "@keyhearth/engine/organization.testing";
import { newOrganization } from "./testing.ts";

const organization = await newOrganization();
const { server, root, organizationId } = organization;

/** Sends a request whose values the generated types of the SDK do not know yet. */
async function submit(client: typeof root, name: string, type: string, parameters: object) {
  const timestampMs = String(Date.now());
  const body = JSON.stringify({ type, timestampMs, organizationId, parameters });
  const { activity } = await client.request(\`/public/v1/submit/\${name}\`, body);
  return activity as { result: Record<string, Record<string, unknown>> };
}

const account = {
  ...{ curve: "CURVE_ED25519", pathFormat: "PATH_FORMAT_BIP32" },
  ...{ path: "m/44'/1'/0'", addressFormat: "ADDRESS_FORMAT_PEBBLE" },
};
const made = await submit(root, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {
  walletName: "treasury",
  accounts: [account],
});
const [signWith = ""] = made.result.createWalletResult?.addresses as string[];
const publicKey = signWith.replace("pebble", "");
const walletId = made.result.createWalletResult?.walletId as string;
const { account: shown } = await root.getWalletAccount({ walletId, address: signWith });

const user = await addUser(organization);
const [friend, stranger] = ["11", "22"].map((byte) => byte.repeat(32)) as [string, string];
const policy = { consensus: \`approvers.any(user, user.id == '\${user.userId}')\`, notes: "" };
await root.createPolicy({
  ...{ policyName: "small payments to a friend", effect: "EFFECT_ALLOW" },
  condition: \`pebble.tx.payments.all(each, each.to == 'pebble\${friend}' && each.amount <= 100)\`,
  ...policy,
});
await root.createPolicy({
  ...{ policyName: "not this tag", effect: "EFFECT_DENY", condition: "pebble.tx.tag == 7" },
  ...policy,
});
await root.createPolicy({
  ...{ policyName: "not in ether", effect: "EFFECT_DENY", condition: "eth.tx.value >= 0" },
  ...policy,
});

const payment = (to: string, amount: number) => to + amount.toString(16).padStart(16, "0");
const transactions = {
  "to the friend": publicKey + "01" + payment(friend, 100),
  "with another tag": publicKey + "01" + payment(friend, 100) + "00000008",
  "with this tag": publicKey + "01" + payment(friend, 100) + "00000007",
  "too much": publicKey + "01" + payment(friend, 101),
  "to a stranger too": publicKey + "02" + payment(friend, 1) + payment(stranger, 1),
  "of somebody else": friend + "01" + payment(friend, 1),
  "with a byte too many": publicKey + "01" + payment(friend, 1) + "00",
};
const answers: Record<string, unknown> = {};
for (const [name, unsignedTransaction] of Object.entries(transactions)) {
  const type = "TRANSACTION_TYPE_PEBBLE";
  const intent = { signWith, type, unsignedTransaction };
  answers[name] = await submit(
    user.client, "sign_transaction", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2", intent,
  ).then(
    ({ result }) => {
      const signed = result.signTransactionResult?.signedTransaction as string;
      const signature = decodeHex(signed.slice(unsignedTransaction.length));
      const isOfTransaction = signed.startsWith(unsignedTransaction);
      const message = decodeHex(unsignedTransaction);
      return isOfTransaction && verifyEd25519(decodeHex(publicKey), message, signature);
    },
    (error: { code: string }) => error.code,
  );
}
await server.stop();
const isAddress = signWith === "pebble" + encodeHex(decodeHex(publicKey));
console.log(JSON.stringify({ isAddress, shown, answers }));
process.exit(0);
`;

/** Prints lints of policies about the chain, and what the tables of the site show of it. */
const advice = `
import { comparePolicies } from "@keyhearth/policy/advice/comparison";
import { lintPolicies } from "@keyhearth/policy/advice/lints";
import { ROOTS } from "@keyhearth/policy/schema";
import { nameOf } from "@keyhearth/policy/types";
import { fieldNotes, rootNotes } from "../../website/src/components/policies/field-notes.ts";
import { shownStructs, structsOfChain } from "../../website/src/components/policies/structs.ts";

const policy = (effect: string, condition: string) => {
  const consensus = "approvers.any(user, user.id == 'u')";
  return { policyId: condition, effect: effect as "EFFECT_ALLOW", condition, consensus };
};
const allow = (condition: string) => policy("EFFECT_ALLOW", condition);
const codes = (condition: string, effect = "EFFECT_ALLOW") => {
  return lintPolicies([policy(effect, condition)]).map(({ code }) => code);
};
const all = "pebble.tx.payments.all(each, each.amount < 5)";
const lints = {
  all: codes(all),
  first: codes("pebble.tx.payments[0].amount < 5"),
  mixed: codes("pebble.tx.tag == 1 && eth.tx.value == 1"),
  told: codes("activity.params.type == 'TRANSACTION_TYPE_PEBBLE' && " + all, "EFFECT_DENY"),
  notTold: codes("wallet.id == 'w' || " + all, "EFFECT_DENY"),
  besideBytes: lintPolicies([allow(all), allow("activity.kind == 'SIGN_RAW_PAYLOAD'")]).map(
    ({ code }) => code,
  ),
};
const isMore = (before: string, after: string) => {
  return comparePolicies([allow(before)], [allow(after)]).answer;
};
const comparisons = {
  lower: isMore("pebble.tx.tag < 5", "pebble.tx.tag < 4"),
  negative: isMore("pebble.tx.tag == 0", "pebble.tx.tag < 1"),
  otherChain: isMore("pebble.tx.tag == 0", "pebble.tx.tag == 0 || tron.tx.fee_limit == 0"),
};
const notes: Record<string, Record<string, string>> = fieldNotes;
const tables = structsOfChain("pebble").map(({ name, fields }) => {
  const rows = Object.entries(fields).map(([field, type]) => {
    return \`\${field} \${nameOf(type)} \${notes[name]?.[field] ? "noted" : ""}\`;
  });
  return { name, rows, isShown: shownStructs("condition").some((each) => each.name === name) };
});
const roots: Record<string, string> = rootNotes;
const root = { type: nameOf(ROOTS.condition.pebble!), note: roots.pebble };
console.log(JSON.stringify({ lints, comparisons, tables, root }));
`;

let copy: string;
let typeErrors: Promise<string>;

beforeAll(async () => {
  copy = await copyTree("contributing", [
    ...["field-notes", "structs"].map((name) => `apps/website/src/components/policies/${name}.ts`),
    "apps/website/docs/concepts/policies/language.mdx",
  ]);
  expect(await followSection(copy, "Add a record", numbered)).toBe(7);
  await patch(copy, "packages/engine/src/activities/index.ts", [
    'import { signTransaction } from "./sign-transaction.ts";',
    '+import { setWalletNote } from "./set-wallet-note.ts";',
  ]);
  await patch(copy, "packages/engine/src/activities/index.ts", [
    "export const activities: ActivityDeclaration[] = [",
    "+  setWalletNote,",
  ]);
  await writeFile(join(copy, "packages/engine/src/activities/set-wallet-note.ts"), setWalletNote);
  await writeFile(join(copy, "apps/api/src/set-notes.testing.ts"), noteProgram);
  expect(await followSection(copy, "Add a chain")).toBe(13);
  await writeFile(join(copy, "apps/api/src/sign-pebble.testing.ts"), paymentProgram);
  await writeFile(join(copy, "apps/api/src/advise-pebble.testing.ts"), advice);
  // The compiler takes as long as the programs, so it runs beside them.
  typeErrors = typeErrorsOf(copy);
});

afterAll(() => rm(copy, { recursive: true, force: true }));

describe("with what CONTRIBUTING.md adds", { timeout: 120_000 }, () => {
  test("a note is written, replaced and read back", async () => {
    expect(JSON.parse(await outputOf(copy, "apps/api/src/set-notes.testing.ts"))).toEqual({
      results: [null, "first", "second"].map((before) => ({
        status: "ACTIVITY_STATUS_COMPLETED",
        before,
      })),
      rows: [{ version: 3 }],
    });
  });

  test("an account has its address, and payments are decoded, decided and signed", async () => {
    expect(JSON.parse(await outputOf(copy, "apps/api/src/sign-pebble.testing.ts"))).toMatchObject({
      isAddress: true,
      shown: { addressFormat: "ADDRESS_FORMAT_PEBBLE", caip2Prefix: "pebble" },
      answers: {
        "to the friend": true,
        "with another tag": true,
        "with this tag": "POLICY_DENIED",
        "too much": "POLICY_DENIED",
        "to a stranger too": "POLICY_DENIED",
        "of somebody else": "TRANSACTION_INVALID",
        "with a byte too many": "TRANSACTION_INVALID",
      },
    });
  });

  test("its lints and comparisons work, and the site's tables show it", async () => {
    const output = await outputOf(copy, "apps/api/src/advise-pebble.testing.ts");
    expect(JSON.parse(output)).toEqual({
      lints: {
        all: [],
        first: ["first-only"],
        mixed: ["mixed-key-roots"],
        told: [],
        notTold: ["deny-can-error"],
        besideBytes: ["raw-payload-bypass", "sign-unscoped"],
      },
      comparisons: { lower: "no more", negative: "no more", otherChain: "no more" },
      tables: [
        {
          name: "PebbleTransaction",
          rows: ["payments list<PebblePayment> noted", "tag int noted"],
          isShown: true,
        },
        { name: "PebblePayment", rows: ["to string noted", "amount int noted"], isShown: true },
      ],
      root: { type: "pebble", note: "The request signs a Pebble transaction." },
    });
  });

  test("the tree has no type errors", async () => {
    expect(await typeErrors).toBe("no errors");
  });
});

/** A migration's file under the next number. */
async function numbered(file: string): Promise<string> {
  let next = 1;
  for await (const name of glob("apps/api/src/store/migrations/*.sql", { cwd: copy })) {
    next = Math.max(next, Number.parseInt(basename(name), 10) + 1);
  }
  return file.replace("NNNN", String(next).padStart(4, "0"));
}
