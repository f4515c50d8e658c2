import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyTree, followSection, outputOf, typeErrorsOf } from "./follow-page.testing.ts";

// Follows "Add a chain" in CONTRIBUTING.md in a copy of the tree, and adds exactly what the page shows.

/** Signs payments of the chain over HTTP, and prints the address, the answers and whether the signature is right. */
const program = `
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

beforeAll(async () => {
  copy = await copyTree("add-a-chain", [
    ...["field-notes", "structs"].map((name) => `apps/website/src/components/policies/${name}.ts`),
    "apps/website/docs/concepts/policies/language.mdx",
  ]);
  expect(await followSection(copy, "Add a chain")).toBe(13);
  await writeFile(join(copy, "apps/api/src/sign-pebble.testing.ts"), program);
  await writeFile(join(copy, "apps/api/src/advise-pebble.testing.ts"), advice);
});

afterAll(() => rm(copy, { recursive: true, force: true }));

// One test runs the whole product and one the whole compiler. Both take seconds, so they run at once.
describe.concurrent("with what CONTRIBUTING.md adds", { timeout: 120_000 }, () => {
  test("an account has its address, and payments are decoded, decided and signed", async ({
    expect,
  }) => {
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

  test("its lints and comparisons work, and the site's tables show it", async ({ expect }) => {
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

  test("the tree has no type errors", async ({ expect }) => {
    expect(await typeErrorsOf(copy)).toBe("no errors");
  });
});
