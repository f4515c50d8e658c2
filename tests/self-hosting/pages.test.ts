import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfig } from "@keyhearth/api/config/config";
import { secretVariables } from "@keyhearth/api/config/variables";
import { expect, test } from "vitest";
import { nameCommands } from "../../scripts/bundle/commands.ts";

// Compares what the pages about self-hosting say with the programs.

const root = fileURLToPath(new URL("../../", import.meta.url));
const website = join(root, "apps/website");
const page = (name: string) =>
  readFileSync(join(website, "docs/self-hosting", `${name}.mdx`), "utf8");

test.each(["signer", "courier"])("the help of the %s is what the page shows", (program) => {
  const shown = readFileSync(join(website, `snippets/self-hosting/${program}-help.txt`), "utf8");
  const main = join(root, `apps/${program}/src/main.ts`);
  const help = execFileSync(process.execPath, [main, "--help"], { encoding: "utf8" });
  expect(nameCommands(help, "debian")).toBe(shown);
});

test.each(["shamir", "pkcs11", "aws-kms"])("the seal %s is refused until it exists", (seal) => {
  expect(page("custody")).toContain(`\`${seal}\``);
  expect(() => readConfig({ KEYHEARTH_SEAL: seal })).toThrow(
    "which this version does not offer yet; use `file`",
  );
});

test("the page names every variable that can be in a file", () => {
  const [, section = ""] = page("configuration").split("{/* #secret-files */}");
  const [, list = ""] = /This works for (.+?)\./s.exec(section) ?? [];
  expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual([...secretVariables]);
});

test("the sentence about a newer database is the one that the start prints", () => {
  const source = readFileSync(join(root, "apps/api/src/store/migrate.ts"), "utf8");
  const [, sentence = ""] = /"(the database was migrated by [^"]+)"/.exec(source) ?? [];
  expect(page("upgrading")).toContain(`keyhearth: ${sentence}`);
});

test("the template of the API's settings starts with no token that everybody knows", () => {
  const template = readFileSync(join(root, "apps/website/snippets/self-hosting/api.env"), "utf8");
  const set = template.split("\n").filter((line) => /^[A-Z]/.test(line));
  const env = Object.fromEntries(set.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  expect(env).toHaveProperty("KEYHEARTH_SIGNER");
  expect(readConfig(env).metricsToken).toBeNull();
});
