import { execFile } from "node:child_process";
import {
  cp,
  glob,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// Follows "Add a record" in CONTRIBUTING.md in a copy of the tree, and adds exactly what the page
// shows.

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const workspaces = [
  "packages/crypto",
  "packages/policy",
  "packages/engine",
  "packages/outbound",
  "packages/sdk",
  "apps/courier",
  "apps/signer",
  "apps/api",
];

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
  keepsDocument: true,
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
  copy = await mkdtemp(join(tmpdir(), "keyhearth-add-a-record-"));
  await copyTree();
  await addRecord();
  await patch("packages/engine/src/activities/index.ts", [
    'import { signTransaction } from "./sign-transaction.ts";',
    '+import { setWalletNote } from "./set-wallet-note.ts";',
  ]);
  await patch("packages/engine/src/activities/index.ts", [
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
    const { stdout } = await run(process.execPath, ["apps/api/src/set-notes.testing.ts"], {
      cwd: copy,
    });
    expect(JSON.parse(stdout)).toEqual({
      results: [null, "first", "second"].map((before) => ({
        status: "ACTIVITY_STATUS_COMPLETED",
        before,
      })),
      rows: [{ version: 3 }],
    });
  });

  test("the tree has no type errors", async ({ expect }) => {
    const tsc = join(root, "node_modules/.bin/tsc");
    const outcome = await run(tsc, ["-p", "tsconfig.json"], { cwd: copy }).then(
      () => "no errors",
      (failure: { message: string; stdout: string }) => failure.stdout || failure.message,
    );
    expect(outcome).toBe("no errors");
  });
});

/** The sources, and a node_modules whose workspaces are those of the copy. */
async function copyTree() {
  const isSource = (path: string) => !/\.test\.tsx?$|\/node_modules$|\/vectors$/.test(path);
  for (const name of workspaces) {
    await cp(join(root, name), join(copy, name), { recursive: true, filter: isSource });
  }
  await cp(join(root, "package.json"), join(copy, "package.json"));
  const config = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8"));
  const include = workspaces.map((name) => `${name}/src`);
  await writeFile(join(copy, "tsconfig.json"), JSON.stringify({ ...config, include }));

  const modules = join(copy, "node_modules");
  await mkdir(join(modules, "@keyhearth"), { recursive: true });
  for (const entry of await readdir(join(root, "node_modules"))) {
    if (entry === "@keyhearth" || entry.startsWith(".")) continue;
    await symlink(join(root, "node_modules", entry), join(modules, entry));
  }
  for (const name of workspaces) {
    await symlink(join(copy, name), join(modules, "@keyhearth", basename(name)));
  }
}

/** Each block of the section belongs to the last file named before it. */
async function addRecord() {
  const page = await readFile(join(root, "CONTRIBUTING.md"), "utf8");
  const section = page.split("\n## ").find((each) => each.startsWith("Add a record\n")) ?? "";
  let file = "";
  let blocks = 0;
  for (const [, path, kind, block = ""] of section.matchAll(
    /^\*\*\d\. [^*]+\*\*, `([^`]+)`|^```(\w+)\n(.*?)^```$/gms,
  )) {
    if (path) file = path;
    else if (kind === "diff") await patch(file, block.trimEnd().split("\n"));
    else await writeFile(join(copy, await numbered(file)), block);
    if (!path) blocks += 1;
  }
  expect(blocks).toBe(7);
}

/** A migration's file under the next number. */
async function numbered(file: string): Promise<string> {
  let next = 1;
  for await (const name of glob("apps/api/src/store/migrations/*.sql", { cwd: copy })) {
    next = Math.max(next, Number.parseInt(basename(name), 10) + 1);
  }
  return file.replace("NNNN", String(next).padStart(4, "0"));
}

/** Adds the lines that begin with a plus after the line before them. */
async function patch(file: string, [before = "", ...added]: string[]) {
  const path = join(copy, file);
  const lines = (await readFile(path, "utf8")).split("\n");
  const at = lines.indexOf(before.trimStart());
  if (at < 0) throw new Error(`${file} has no line \`${before}\``);
  lines.splice(at + 1, 0, ...added.map((line) => line.slice(1)));
  await writeFile(path, lines.join("\n"));
}
