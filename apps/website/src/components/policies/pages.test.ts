import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { activities } from "@keyhearth/engine/activities/index";
import { MAX_INTERFACE_BYTES } from "@keyhearth/engine/chains/contract-interfaces";
import { chains } from "@keyhearth/engine/chains/index";
import { TransactionType } from "@keyhearth/engine/chains/transactions";
import { LIMITS } from "@keyhearth/engine/records/limits";
import { lintPolicies } from "@keyhearth/policy/advice/lints";
import { kindOf } from "@keyhearth/policy/kind-of";
import { describe, expect, test } from "vitest";
import { type Example, examples } from "./examples.ts";
import { shownStructs, structsOfChain } from "./structs.ts";
import { UNSUPPORTED_CHAINS } from "./unsupported-chains.ts";

// Compares what the pages about policies say with the code.

const root = fileURLToPath(new URL("../../../../../", import.meta.url));
const page = (name: string) =>
  readFileSync(join(root, "apps/website/docs/concepts/policies", `${name}.mdx`), "utf8");

describe("sessions of the command line", () => {
  const directory = join(root, "apps/website/snippets/policy-cli");
  const sessions = readdirSync(directory).filter((file) => file.endsWith(".session.txt"));

  test.each(sessions)("%s is what the command prints", (file) => {
    const [first = "", ...output] = readFileSync(join(directory, file), "utf8").split("\n");
    expect(first).toMatch(/^\$ keyhearth policy /);
    const args = first.split(" ").slice(2);
    const main = join(root, "packages/cli/src/main.ts");
    // Sessions also show commands that find something and exit with 1.
    const { stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout).toBe(output.join("\n"));
  });
});

test("every struct of the language has its table on the language page", () => {
  const named = [...page("language").matchAll(/only=\{\[([^\]]*)\]\}/g)].flatMap(([, names = ""]) =>
    [...names.matchAll(/"(\w+)"/g)].map(([, name]) => name),
  );
  const ofChains = [...page("language").matchAll(/<ChainStructs name="(\w+)" \/>/g)].flatMap(
    ([, chain = ""]) => structsOfChain(chain).map(({ name }) => name),
  );
  const shown = [...named, ...ofChains];
  const structs = (["condition", "consensus"] as const).flatMap((clause) =>
    shownStructs(clause).map(({ name }) => name),
  );
  // The fields of `eth` are in the table of roots.
  expect(shown.sort()).toEqual(structs.filter((name) => name !== "eth").sort());
});

test("every example is on its page, once", () => {
  const ids = [...page("examples").matchAll(/<PolicyExample id="([\w-]+)" \/>/g)].map(
    ([, id]) => id,
  );
  expect([...ids].sort()).toEqual(Object.keys(examples).sort());
});

test("only examples that the service can’t decide yet are below “Not supported yet”", () => {
  const [, later = ""] = page("examples").split("{/* #later */}");
  const listed = [...later.matchAll(/<PolicyExample id="([\w-]+)" \/>/g)].map(([, id]) => id);
  const kinds = new Set(activities.flatMap((each) => Object.keys(each.versions).map(kindOf)));
  const all: Record<string, Example> = examples;
  const waiting = Object.entries(all).filter(
    ([, { needs }]) =>
      needs !== undefined &&
      ("kind" in needs ? !kinds.has(needs.kind) : UNSUPPORTED_CHAINS.includes(needs.chain)),
  );
  expect(listed).toEqual(waiting.map(([id]) => id));
});

test.each(TransactionType.options)("transactions of %s are marked as supported or not", (type) => {
  const chain = type.replace("TRANSACTION_TYPE_", "").toLowerCase();
  expect(UNSUPPORTED_CHAINS.includes(chain)).toBe(!chains.has(type));
});

test("the pages name the limits", () => {
  expect(page("language")).toContain(`may have ${MAX_INTERFACE_BYTES.toLocaleString("en")} bytes`);
  expect(page("overview")).toContain(`at most ${LIMITS.policies} policies`);
  expect(page("language")).toContain(`| Policies of an organization | ${LIMITS.policies} |`);
  const parts = LIMITS.policyParts.toLocaleString("en");
  expect(page("language")).toContain(`| Parts of all its policies together | ${parts} |`);
  expect(page("overview")).toContain(`with ${parts} [parts]`);
});

test("the first policy that a reader sees has no warnings", () => {
  const [, json = ""] = /```json\n(\{.*?\})\n```/s.exec(page("overview")) ?? [];
  expect(lintPolicies([{ policyId: "first", ...JSON.parse(json) }])).toEqual([]);
});
