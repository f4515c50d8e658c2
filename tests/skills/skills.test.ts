import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { groups } from "../../packages/cli/src/table/index.ts";
import { compiled } from "../start/process.ts";
import { blocksOf, folder, readSkills } from "./skills.ts";

// What coding agents read of us is as right as a page of the site: every command, sample, policy and link in it.

const root = fileURLToPath(new URL("../../", import.meta.url));
const docs = join(root, "apps/website/docs");
const skills = readSkills();
const entries = groups.flatMap((group) => group.entries);
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-skills-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** Options of every command. */
const EVERYWHERE = ["--json", "--no-color", "--debug", "--help"];
const WHERE = ["--profile", "--organization-id"];

test("there are a few, and each has a name, a description and evals", () => {
  expect(skills.length).toBeGreaterThanOrEqual(3);
  for (const { name, description, members, text, evals } of skills) {
    expect(members).toEqual(["name", "description"]);
    expect(existsSync(join(folder, name, "SKILL.md"))).toBe(true);
    expect(name).toMatch(/^keyhearth-[a-z-]{3,40}$/);
    expect(description.length).toBeGreaterThan(60);
    expect(description.length).toBeLessThan(500);
    expect(description).toContain("Use when");
    // Models read all of it.
    expect(text.length).toBeLessThan(8000);
    expect(evals.length).toBeGreaterThanOrEqual(2);
  }
});

describe.each(skills)("$name", (skill) => {
  const blocks = blocksOf(skill);

  test("has commands that the command line takes", () => {
    const inBlocks = blocks
      .filter(({ language }) => language === "sh")
      .flatMap(({ code }) => code.trim().split("\n"));
    const inText = [...skill.text.matchAll(/`(keyhearth [^`\n]+)`/g)].map(([, line = ""]) => line);
    const lines = [...inBlocks, ...inText].filter((line) => !line.startsWith("npm install "));
    for (const line of lines) {
      const [program, ...words] = line.replace(/ > .*/, "").split(" ");
      expect(program, line).toBe("keyhearth");
      const entry = entries.find(({ name }) => {
        const own = name.split(" ");
        return own.every((word, i) => words[i] === word);
      });
      expect(entry, line).toBeDefined();
      const known = [
        ...EVERYWHERE,
        ...(entry?.connects ? WHERE : []),
        ...(entry?.options ?? []).map(([form]) => form.replace("...", "").split(" ")[0]),
      ];
      for (const flag of words.filter((word) => word.startsWith("--"))) {
        expect(known, line).toContain(flag);
      }
      const given = words.slice(entry?.name.split(" ").length).filter((word) => !/^--/.test(word));
      const required = (entry?.args ?? []).filter(([form]) => form.startsWith("<"));
      const isNamed = line.includes("NAME") || required.length === 0;
      if (!isNamed) expect(given.length, line).toBeGreaterThanOrEqual(required.length);
    }
  });

  test("names tools, packages and files that exist", () => {
    for (const [, file = ""] of skill.text.matchAll(/packages\/(keyhearth-\w+)\.tgz/g)) {
      expect(["keyhearth-sdk", "keyhearth-cli"]).toContain(file);
    }
    const tools = readFileSync(join(root, "packages/cli/src/mcp/tools.ts"), "utf8");
    const named = skill.text.match(/`(list|get|sign|wait)_[a-z_]+`/g) ?? [];
    for (const tool of named.filter(() => skill.name === "keyhearth-agent-wallets")) {
      expect(tools).toContain(`name: "${tool.slice(1, -1)}"`);
    }
  });

  test("has policies that the check finds nothing wrong with", () => {
    const policies = blocks.filter(({ kind }) => kind === "policies");
    for (const [i, { code }] of policies.entries()) {
      const file = join(temporary, `${skill.name}-${i}.json`);
      const id = "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e";
      writeFileSync(
        file,
        code.replaceAll("{{agent}}", id).replaceAll("{{person}}", id.replace("6", "7")),
      );
      const bin = join(root, "packages/cli/bin/keyhearth.mjs");
      const args = [bin, "policy", "check", "--strict", file];
      const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled };
      const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8", env });
      expect({ status, stdout }).toMatchObject({ status: 0 });
    }
    for (const { code } of blocks.filter(({ language }) => language === "json")) JSON.parse(code);
  });

  test("links to pages and sections of the site", () => {
    const contract = JSON.parse(readFileSync(join(root, "contract/openapi.json"), "utf8"));
    const operations = Object.keys(contract.paths).map((path) => path.split("/").at(-1));
    const links = [...skill.text.matchAll(/\]\((\/[^)\s]*)\)/g)].map(([, path = ""]) => path);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      const [path = "", anchor] = link.split("#");
      if (path === "/api") {
        expect(operations, link).toContain(anchor);
        continue;
      }
      const file = [`${path}.mdx`, `${path}.md`, `${path}/index.mdx`]
        .map((each) => join(docs, each))
        .find((each) => existsSync(each));
      expect(file, link).toBeDefined();
      if (anchor !== undefined) {
        expect(readFileSync(file ?? "", "utf8"), link).toContain(`{/* #${anchor} */}`);
      }
    }
  });

  test("has evals whose answers are in it", () => {
    for (const { name, task, contains, lacks } of skill.evals) {
      expect(task.length, name).toBeGreaterThan(40);
      expect(contains.length, name).toBeGreaterThan(0);
      for (const texts of contains) {
        const isTold = texts.some((each) => skill.text.includes(each));
        // What the task itself gives, such as another amount, is not in the skill.
        const isGiven = texts.some((each) => task.includes(each) || /^\d+$/.test(each));
        expect(isTold || isGiven, `${name}: ${texts}`).toBe(true);
      }
      for (const text of lacks) expect(contains.flat(), name).not.toContain(text);
    }
  });
});

test("the samples have the types of the SDK", { timeout: 120_000 }, async () => {
  const files = skills.flatMap((skill) =>
    blocksOf(skill)
      .filter(({ language }) => language === "ts" || language === "tsx")
      .map(({ language, code }, i) => {
        const file = `${skill.name}-${i}.${language}`;
        writeFileSync(join(temporary, file), code);
        return file;
      }),
  );
  expect(files.length).toBeGreaterThan(5);
  symlinkSync(join(root, "node_modules"), join(temporary, "node_modules"));
  writeFileSync(join(temporary, "package.json"), '{ "type": "module" }');
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, jsx: "react-jsx", target: "es2024" },
    ...{ module: "nodenext", lib: ["es2024", "dom", "dom.iterable"], types: ["node"] },
    ...{ allowImportingTsExtensions: true, verbatimModuleSyntax: true, moduleDetection: "force" },
  };
  writeFileSync(join(temporary, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const checked = promisify(execFile)(process.execPath, [tsc, "-p", temporary]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  // The types of the sources are checked elsewhere, and with declarations of their own.
  const problems = (await checked).split(/^(?=\S)/m);
  expect(problems.filter((each) => each.includes(basename(temporary)))).toEqual([]);
});
