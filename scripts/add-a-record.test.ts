import { glob, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyTree, followSection, outputOf, patch, typeErrorsOf } from "./follow-page.testing.ts";

// Follows "Add a record" in CONTRIBUTING.md in a copy of the tree, and adds exactly what the page
// shows.

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
const program = `
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

let copy: string;

beforeAll(async () => {
  copy = await copyTree("add-a-record");
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
  await writeFile(join(copy, "apps/api/src/set-notes.testing.ts"), program);
});

afterAll(() => rm(copy, { recursive: true, force: true }));

// One test runs the whole product and one the whole compiler. Both take seconds, so they run at once.
describe.concurrent("with what CONTRIBUTING.md adds", { timeout: 120_000 }, () => {
  test("a note is written, replaced and read back", async ({ expect }) => {
    expect(JSON.parse(await outputOf(copy, "apps/api/src/set-notes.testing.ts"))).toEqual({
      results: [null, "first", "second"].map((before) => ({
        status: "ACTIVITY_STATUS_COMPLETED",
        before,
      })),
      rows: [{ version: 3 }],
    });
  });

  test("the tree has no type errors", async ({ expect }) => {
    expect(await typeErrorsOf(copy)).toBe("no errors");
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
