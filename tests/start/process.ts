import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { allocation, flags } from "../../scripts/setup/allocation.mjs";

export type RootKey = {
  organizationId: string;
  userId: string;
  apiPublicKey: string;
  apiPrivateKey: string;
};

export type Process = {
  child: ChildProcess;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when it has ended, with its exit code or the signal's name. */
  ended: Promise<number | NodeJS.Signals>;
  /** Ends it with SIGTERM, and kills it after twelve seconds. */
  stop(): Promise<number | NodeJS.Signals>;
  kill(): Promise<number | NodeJS.Signals>;
};

export type Service = Process & {
  url: string;
  readyAfterMs: number;
  /** The link to the mailbox, with its token. Empty if there is none. */
  mailboxUrl: string;
};

const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

export type Environment = Record<string, string>;

export type Limits = {
  /** What follows the program on its command line. */
  args?: string[];
  /** How many files and connections the process may open, if not as many as ours. */
  mostDescriptors?: number;
  /** Where it runs, if not in the repository. */
  folder?: string;
  /** Whether it runs its sources, as `npm start` does, even where there are bundles. */
  isFromSources?: boolean;
};

/** The tests start the same programs dozens of times. Their modules are compiled once. */
export const compiled = path("node_modules/.cache/keyhearth/compiled");

/** What a program's process runs. A bundle starts in half the time, and `npm test` makes one of each. */
export function mainOf(program: "api" | "courier" | "signer", isFromSources = false): string {
  const bundles = process.env.KEYHEARTH_TEST_BUNDLES;
  const hasBundle = bundles && !isFromSources;
  return hasBundle ? join(bundles, program, "program.js") : path(`apps/${program}/src/main.ts`);
}

/**
 * A service that lives for seconds does not get back the second of processor time that it takes to optimize the
 * database's WebAssembly.
 */
const forShortLives = ["--liftoff-only"];

/** Runs the service with only those variables of our environment that it needs. */
export function runMain(
  environment: Environment,
  nodeArguments: string[] = [],
  limits: Limits = {},
): Process {
  const settings = { HOST: "127.0.0.1", PORT: "0", KEYHEARTH_LOG_LEVEL: "warn", ...environment };
  const main = mainOf("api", limits.isFromSources);
  const compiling = limits.isFromSources ? [] : forShortLives;
  const args = [...flags, ...compiling, ...nodeArguments, main, ...(limits.args ?? [])];
  return run(args, settings, limits);
}

/** Runs the signer and waits until its socket can be used. */
export async function startSigner(
  directory: string,
  nodeArguments: string[] = [],
  environment: Environment = {},
): Promise<Process & { socket: string }> {
  const socket = join(directory, "signer.sock");
  const main = mainOf("signer");
  const process = run(
    [...flags, ...nodeArguments, main, "--state", directory, "--socket", socket, "--create"],
    environment,
  );
  await until(process, () => process.stdout().includes("listening"));
  return { ...process, socket };
}

/** Runs the courier and waits until its socket can be used. */
export async function startCourier(
  directory: string,
  environment: Environment,
): Promise<Process & { socket: string }> {
  const socket = join(directory, "courier.sock");
  const args = ["--state", directory, "--socket", socket];
  const process = run([...flags, mainOf("courier"), ...args], environment);
  await until(process, () => process.stdout().includes("listening"));
  return { ...process, socket };
}

/** Starts the service and waits until it has printed its table. */
export async function startService(
  environment: Environment,
  nodeArguments: string[] = [],
  limits: Limits = {},
): Promise<Service> {
  const startedAt = performance.now();
  const process = runMain(environment, nodeArguments, limits);
  await until(process, () => process.stdout().includes("Stop it with"));
  return { ...serviceOf(process), readyAfterMs: performance.now() - startedAt };
}

/** What a service that is ready has printed. */
export function serviceOf(process: Process): Omit<Service, "readyAfterMs"> {
  const url = /^ {2}Site +(\S+)$/m.exec(process.stdout())?.[1]?.replace("localhost", "127.0.0.1");
  if (!url) throw new Error(`no address in the table:\n${process.stdout()}`);
  const mailboxUrl = /^ {2}Mailbox +(\S+)$/m.exec(process.stdout())?.[1] ?? "";
  return { ...process, url, mailboxUrl };
}

/** Asks for the messages as a program does. The query is `?to=` and a contact, or nothing. */
export function fetchMailbox(
  { url, mailboxUrl }: Pick<Service, "url" | "mailboxUrl">,
  query = "",
): Promise<Response> {
  const [, token = ""] = mailboxUrl.split("#token=");
  const headers = { Authorization: `Bearer ${token}` };
  return fetch(`${url}/mailbox/messages${query}`, { headers });
}

export function readRootKey(dataDirectory: string): RootKey {
  return JSON.parse(readFileSync(join(dataDirectory, "root-api-key.json"), "utf8"));
}

export function clientOf({ url }: { url: string }, key: RootKey): KeyhearthClient {
  const { organizationId, apiPublicKey, apiPrivateKey } = key;
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  return new KeyhearthClient({ baseUrl: url, organizationId, stamper });
}

/** Runs a program with only those variables of our environment that it needs. */
export function run(
  args: string[],
  environment: Environment,
  { mostDescriptors, folder = path(".") }: Limits = {},
): Process {
  const limited = ["-c", `ulimit -n ${mostDescriptors}; exec "$0" "$@"`, process.execPath, ...args];
  const [command, given] =
    mostDescriptors === undefined ? [process.execPath, args] : ["sh", limited];
  const child = spawn(command, given, {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: compiled,
      // As `scripts/launch.mjs` sets them.
      ...allocation,
      ...environment,
    },
    stdio: "pipe",
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // After "close" all of its output has arrived.
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once("close", (code, signal) => resolve(signal ?? code ?? -1)),
  );
  const endWith = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), 12_000);
    const outcome = await ended;
    clearTimeout(timer);
    return outcome;
  };
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    stop: () => endWith("SIGTERM"),
    kill: () => endWith("SIGKILL"),
  };
}

/** Waits until a process has got so far, and fails if it ends before. */
export async function until(process: Process, isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (!isSo()) {
    const { exitCode, signalCode } = process.child;
    if (exitCode !== null || signalCode !== null || performance.now() > giveUpAt) {
      await process.kill();
      throw new Error(`it did not start:\n${process.stdout()}${process.stderr()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
