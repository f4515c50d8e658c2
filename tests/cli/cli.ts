import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import {
  bin as binOfSources,
  type Ended,
  runHere,
} from "../../packages/cli/src/keyhearth.testing.ts";
import { compiled } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

const packed = process.env.KEYHEARTH_TEST_COMMAND_LINE;

/** As it is published, which starts in half the time, and which `npm test` makes once. Tests of packages/cli run the sources. */
export const bin = packed ? join(packed, "bin/keyhearth.mjs") : binOfSources;

type Options = { env?: Record<string, string>; stdin?: string };

/** These use more of a process than its arguments, environment and output. `-` stands for standard input. */
const ownProcess = ["-", "backup", "complete", "completion", "dev", "init", "mcp", "request"];

/** The commands of which the real program has ended well. */
const seen = new Set<string>();

/**
 * Runs the real program, without a terminal, until each command has ended well once. After that what a command writes and
 * its exit code are the same in this process, which saves the start of another one.
 */
async function runCommand(args: readonly string[], options: Options): Promise<Ended> {
  const [first = "", second = ""] = args;
  const command = `${first} ${second.startsWith("-") ? "" : second}`;
  const canRunHere = !options.stdin && !ownProcess.some((word) => args.includes(word));
  if (canRunHere && seen.has(command)) {
    return runHere(args, { PATH: process.env.PATH, ...options.env });
  }
  const ended = await runProgram(args, options);
  if (ended.status === 0) seen.add(command);
  return ended;
}

function runProgram(args: readonly string[], { env, stdin = "" }: Options): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: compiled, ...env },
    cwd: tmpdir(),
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** A user of the command in front of the shared product, whose own folder is empty. */
export type Person = {
  product: SharedProduct;
  /** The folder that XDG_CONFIG_HOME names. */
  folder: string;
  env: Record<string, string>;
  /** Runs the command with the root key. */
  run(args: readonly string[], options?: Options): Promise<Ended>;
  /** Runs it with `--json`, expects this exit code, and returns the JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what its command writes.
  json(args: readonly string[], status?: number, options?: Options): Promise<any>;
  /** Runs it on a terminal, answers a question, and returns what the terminal shows. */
  answer(
    args: readonly string[],
    question: string,
    keys: string,
    env?: Record<string, string>,
  ): Promise<string>;
  /** Writes a file and returns its path. */
  write(name: string, content: unknown): string;
};

/** The program that runs another one on a terminal. */
export const hasScript = spawnSync("script", ["--version"]).status === 0;

function answer(args: readonly string[], env: Record<string, string>, asked: [string, string]) {
  const [question, keys] = asked;
  const words = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(" ");
  const command = `stty cols 100 rows 30; exec ${words}`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { PATH: process.env.PATH, TERM: "xterm", NODE_COMPILE_CACHE: compiled, ...env },
    cwd: tmpdir(),
  });
  let shown = "";
  let isAnswered = false;
  child.stdout.on("data", (chunk) => {
    shown += chunk;
    if (isAnswered || !shown.includes(question)) return;
    isAnswered = true;
    child.stdin.write(keys);
  });
  return new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => resolve(shown));
  });
}

/** Names that no other test has, as all files share the product. */
export function ownName(what: string): string {
  return `${what} ${Math.random().toString(36).slice(2, 10)}`;
}

export async function newPerson(): Promise<Person> {
  const product = await sharedProduct();
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-person-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const env = { XDG_CONFIG_HOME: folder, ...product.environment };
  const run = (args: readonly string[], options: Options = {}) =>
    runCommand(args, { ...options, env: { ...env, ...options.env } });
  return {
    ...{ product, folder, env, run },
    async json(args, status = 0, options) {
      const ended = await run([...args, "--json"], options);
      if (ended.status !== status) {
        throw new Error(
          `keyhearth ${args.join(" ")} ended with ${ended.status}:\n${ended.stdout}${ended.stderr}`,
        );
      }
      return JSON.parse(ended.stdout);
    },
    answer: (args, question, keys, own) => answer(args, { ...env, ...own }, [question, keys]),
    write(name, content) {
      const path = join(folder, name);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
  };
}

/** The environment of a new user of the organization, who may read and nothing else. */
export async function newUser(root: Person, name: string) {
  const key = `key-${Math.random().toString(36).slice(2, 10)}`;
  await root.json(["generate", "api-key", key]);
  const { userId } = await root.json(["users", "create", name, "--public-key", key]);
  await root.json([
    ...["profile", "add", key, "--key", key, "--url", root.product.url],
    ...["--organization", root.product.root.organizationId],
  ]);
  return { userId: String(userId), profile: ["--profile", key] };
}
