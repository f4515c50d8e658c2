import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { mainOf } from "../../../../../tests/start/process.ts";
import { errorMessages } from "./generated/error-messages.ts";
import { startSentences } from "./generated/start-sentences.ts";
import { matchMessages } from "./match-messages.ts";

// Programs that refuse to start, and what the site's finder makes of the sentence that they print.

const root = fileURLToPath(new URL("../../../../..", import.meta.url));
const programOf = (...[name]: Parameters<typeof mainOf>) => relative(root, mainOf(name));
const service = programOf("api");
const signer = programOf("signer");
const courier = programOf("courier");
const launcher = "scripts/release/launcher/keyhearth.mjs";

/** Makes `process.versions.node` and the like what a test needs. */
const pretend = (text: string) => ["--import", `data:text/javascript,${encodeURIComponent(text)}`];
const old = pretend(
  `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } })`,
);
const strange = pretend(`
  Object.defineProperty(process, "versions", { value: { ...process.versions, node: "22.1.0" } });
  Object.defineProperty(process, "arch", { value: "riscv64" });`);

const newer = '{"product":"keyhearth","layout":99,"release":"0.3.0"}';
const key = `${"ab".repeat(32)}\n`;

type Refusal = {
  program: string;
  says: RegExp;
  settings?: Record<string, string>;
  flags?: string[];
  args?: string[];
  files?: Record<string, string>;
};

const refusals: Refusal[] = [
  { program: service, settings: { PORT: "many" }, says: /^PORT is `many` but must be/ },
  { program: service, settings: { HOST: "a b" }, says: /^HOST is `a b` but must be/ },
  { program: service, settings: { KEYHEARTH_SEAL: "tpm" }, says: /^KEYHEARTH_SEAL is/ },
  { program: service, settings: { DATABASE_URL: "mysql://x" }, says: /^DATABASE_URL has a value/ },
  {
    program: service,
    settings: { DATABASE_URL: "", KEYHEARTH_SIGNER_STATE: "" },
    says: /is set but empty/,
  },
  { program: service, settings: { SMTP_URL: "mail" }, says: /^SMTP_URL has a value/ },
  {
    program: service,
    settings: { SMTP_URL_FILE: "/nowhere" },
    says: /^SMTP_URL_FILE is `\/nowhere`, which does not/,
  },
  { program: service, settings: { KEYHEARTH_SIGNUP: "maybe" }, says: /^KEYHEARTH_SIGNUP is/ },
  { program: service, settings: { KEYHEARTH_RATE_LIMIT: "-1" }, says: /^KEYHEARTH_RATE_LIMIT is/ },
  { program: service, args: ["--dmeo"], says: /^there is no option `--dmeo`/ },
  {
    program: service,
    files: { "keyhearth.json": newer },
    says: /was written by Keyhearth 0\.3\.0/,
  },
  { program: service, files: { "keyhearth.json": "{}" }, says: /was not written by Keyhearth/ },
  {
    program: service,
    files: { "pglite/PG_VERSION": "18\n" },
    says: /has lost its file keyhearth\.json/,
  },
  { program: service, files: { "thesis.tex": "" }, says: /files that are not Keyhearth's/ },
  { program: service, settings: { KEYHEARTH_DATA_DIR: "/dev/null" }, says: /is not a directory/ },
  {
    program: service,
    settings: { KEYHEARTH_DATA_DIR: "/proc/x" },
    says: /^the data directory \/proc\/x/,
  },
  { program: signer, says: /^the state directory .+ is empty/ },
  { program: signer, args: ["--state="], says: /^the state directory is set but empty/ },
  { program: signer, args: ["undo"], says: /^unknown command `undo`/ },
  {
    program: signer,
    files: { "root-key": "\n", keyring: "x" },
    says: /does not hold 64 hex characters/,
  },
  { program: signer, files: { "root-key": key }, says: /^the root key is there but the keyring/ },
  {
    program: signer,
    settings: { KEYHEARTH_OIDC_ISSUERS: "gogle" },
    says: /^KEYHEARTH_OIDC_ISSUERS: `gogle` is not accepted/,
  },
  { program: courier, says: /^nothing to send with/ },
  {
    program: courier,
    files: { "courier-key": "x" },
    says: /^the courier's key file .+ does not hold/,
  },
  { program: courier, args: ["describe"], says: /^there is no key/ },
  { program: launcher, args: ["start"], flags: old, says: /^Node\.js 18\.20\.4 is too old/ },
  {
    program: launcher,
    args: ["start"],
    flags: strange,
    says: /^npm did not install Node\.js for linux-riscv64/,
  },
  {
    program: "scripts/launch.mjs",
    args: ["service"],
    flags: old,
    says: /^Node\.js 18\.20\.4 is too old/,
  },
  { program: "scripts/setup.mjs", flags: old, says: /^Node\.js 18\.20\.4 is too old/ },
];

/** What a program prints that ends at once. */
function sentenceOf({ program, settings, flags = [], args = [], files = {} }: Refusal): string {
  const state = mkdtempSync(join(tmpdir(), "keyhearth-refused-"));
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(state, name, ".."), { recursive: true });
    writeFileSync(join(state, name), text, { mode: 0o600 });
  }
  const places = ["KEYHEARTH_DATA_DIR", "KEYHEARTH_SIGNER_STATE", "KEYHEARTH_COURIER_STATE"];
  const env = {
    PATH: process.env.PATH,
    // Programs that take long to compile start thirty times.
    NODE_COMPILE_CACHE: join(root, "node_modules/.cache/keyhearth/compiled"),
    PORT: "0",
    ...Object.fromEntries(
      places
        .slice(program === service ? 0 : 1, program === service ? 1 : 3)
        .map((name) => [name, state]),
    ),
    ...settings,
  };
  const command = [...flags, join(root, program), ...args];
  const ended = spawnSync(process.execPath, command, { encoding: "utf8", env, timeout: 60_000 });
  expect(ended.status).toBe(1);
  return ended.stderr.trim().replace(/^keyhearth( \w+)?: /, "");
}

/** Whether a sentence of the list is this one, apart from its values. */
function isSentence(listed: string, sentence: string): boolean {
  const parts = listed.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^;]*")}$`).test(sentence);
}

test.each(refusals)(
  "$program: $says is listed, and found first",
  { timeout: 60_000 },
  (refusal) => {
    const sentence = sentenceOf(refusal);
    expect(sentence).toMatch(refusal.says);
    const listed = startSentences.filter((each) => isSentence(each, sentence));
    expect([sentence, listed.length]).toEqual([sentence, 1]);
    // As a terminal shows it.
    const [first] = matchMessages(`keyhearth: ${sentence}\n`, errorMessages);
    expect(first).toEqual({ code: "START", message: listed[0] });
  },
);

test("no sentence of the list ends after what it is about", () => {
  expect(startSentences.length).toBeGreaterThan(150);
  expect(startSentences.filter((each) => /^[^…:;]*…$/.test(each))).toEqual([]);
});
