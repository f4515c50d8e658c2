import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Surroundings } from "../command.ts";
import { membersOf } from "../connection/members.ts";
import { InputError } from "../errors.ts";
import { plain } from "../output.ts";
import { bareEnvironment, findServiceProgram } from "./programs.ts";

/** What a service says of a copy that it has opened. */
export type CopyFacts = {
  readonly url: string;
  readonly rootOrganizationId: string;
  readonly organizations: number;
  readonly wallets: number;
  readonly accounts: number;
  readonly keysWithoutWallet: number;
  readonly lastActivityAt: string | null;
};

export type RunningCopy = CopyFacts & {
  /** What the service called an error or an alarm. */
  readonly alarms: readonly string[];
};

type Setting = {
  readonly env: Surroundings["env"];
  readonly signal: AbortSignal;
  /** Called in reverse order, whatever happens. */
  readonly closers: (() => Promise<void>)[];
  readonly onProgress: (text: string) => void;
  /** How long the service may take to stop. */
  readonly stopMs?: number;
};

const STOP_MS = 12_000;

/**
 * Starts the service on a restored copy in the way that delivers nothing. It ends with this process, because it reads
 * this pipe to its end.
 */
export async function startRehearsal(
  settings: { KEYHEARTH_DATA_DIR: string; DATABASE_URL?: string },
  { env, signal, closers, onProgress, stopMs = STOP_MS }: Setting,
): Promise<RunningCopy> {
  const [program, ...args] = findServiceProgram("start", env);
  const child = spawn(program, args, {
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...bareEnvironment(env),
      ...settings,
      KEYHEARTH_REHEARSAL: "on",
      KEYHEARTH_LOG_LEVEL: "info",
    },
  });
  closers.push(() => stop(child, stopMs));
  // What is in a copy may keep the service from stopping.
  signal.addEventListener("abort", () => void stop(child, stopMs), { once: true });
  if (signal.aborted) void stop(child, stopMs);
  const alarms: string[] = [];
  const last: string[] = [];
  const facts = await new Promise<CopyFacts>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      last.push(...chunk.toString().trim().split("\n"));
      last.splice(0, last.length - 20);
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      const entry = membersOf(line);
      if (!entry) return;
      const { level, msg, done, of, rehearsal } = entry;
      if (level === "error" || level === "fatal") alarms.push(plain(String(msg)));
      if (typeof done === "number") onProgress(`${done} of ${String(of)} keys opened`);
      if (rehearsal !== undefined) resolve(factsOf(rehearsal));
    });
    child.once("error", (cause) => {
      reject(
        new InputError(`the service does not start: ${plain(program)} is not there`, {}, { cause }),
      );
    });
    child.once("close", () => {
      const said = last.findLast((line) => line.startsWith("keyhearth")) ?? last.at(-1) ?? "";
      const why = plain(said.replace(/^keyhearth: /, "")) || "it says nothing";
      reject(new InputError(`the service does not open the copy: ${why}`));
    });
  });
  return { ...facts, alarms };
}

function factsOf(value: unknown): CopyFacts {
  const found: Partial<Record<keyof CopyFacts, unknown>> = Object(value);
  const count = (name: keyof CopyFacts) => Number(found[name]);
  return {
    url: String(found.url),
    rootOrganizationId: String(found.rootOrganizationId),
    organizations: count("organizations"),
    wallets: count("wallets"),
    accounts: count("accounts"),
    keysWithoutWallet: count("keysWithoutWallet"),
    lastActivityAt: typeof found.lastActivityAt === "string" ? found.lastActivityAt : null,
  };
}

function stop(child: ChildProcess, stopMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    const timer = setTimeout(() => child.kill("SIGKILL"), stopMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
    child.kill("SIGTERM");
  });
}
