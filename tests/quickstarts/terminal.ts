import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isLong } from "../start/long-form.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A little less than a test may take. */
const PATIENCE_MS = isLong ? 290_000 : 55_000;

/** What a reader's shell knows: this Node.js and the machine's programs, and nothing of the repository. */
function environmentOf(home: string): NodeJS.ProcessEnv {
  const installed = (process.env.PATH ?? "")
    .split(delimiter)
    .filter((path) => !path.startsWith(root));
  // Where packages come from, and what is here already. These say nothing about Keyhearth.
  const settings = Object.entries(process.env).filter(([name]) =>
    /^(PIP_|SSL_|https?_proxy|npm_config_(registry|globalconfig)$)/i.test(name),
  );
  return {
    ...Object.fromEntries(settings),
    PATH: [dirname(process.execPath), ...installed].join(delimiter),
    HOME: home,
    npm_config_userconfig: join(homedir(), ".npmrc"),
    npm_config_cache: join(homedir(), ".npm"),
    GOCACHE: process.env.GOCACHE || join(homedir(), ".cache/go-build"),
    npm_config_prefer_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    // What a reader answers when npx asks whether it may install a program.
    npm_config_yes: "true",
    NEXT_TELEMETRY_DISABLED: "1",
    NO_COLOR: "1",
  };
}

export type Terminal = {
  /** Runs commands to their end, and returns what they print. Rejects at the first that fails. */
  run(commands: string): Promise<string>;
  /** Runs commands until they have printed a match, and leaves them running if they don't end. */
  runUntil(commands: string, pattern: RegExp): Promise<{ output: string; isRunning: boolean }>;
  /** Runs a command, and returns what it prints with its exit code. */
  outcomeOf(command: string): Promise<{ output: string; code: number }>;
  folder(): Promise<string>;
  close(): Promise<void>;
};

/** A shell that stays open, so that a later command finds the folder and the variables of the earlier ones. */
export function openTerminal(
  folder: string,
  home: string,
  variables: Record<string, string>,
): Terminal {
  const shell = spawn("bash", ["--noprofile", "--norc"], {
    cwd: folder,
    env: { ...environmentOf(home), ...variables },
    stdio: "pipe",
    // A group of its own, so that what it has started ends with it.
    detached: true,
  });
  let output = "";
  let isEnded = false;
  const end = () => {
    if (shell.pid && !isEnded) process.kill(-shell.pid, "SIGTERM");
  };
  process.once("exit", end);
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of listeners) listener();
  };
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      changed();
    });
  }
  const ended = new Promise<void>((resolve) =>
    shell.once("close", () => {
      isEnded = true;
      changed();
      resolve();
    }),
  );

  let count = 0;
  function ask(commands: string, before: string, pattern?: RegExp) {
    output = "";
    const mark = `=== ${++count} `;
    const atEnd = new RegExp(`${mark}\\d+\\n`);
    shell.stdin.write(`${before}\n{\n${commands}\n} < /dev/null\necho "${mark}$?"\n`);
    return new Promise<{ output: string; code: number; isRunning: boolean }>((resolve, reject) => {
      const timer = setTimeout(() => finish("did not end"), PATIENCE_MS);
      let quiet: NodeJS.Timeout | undefined;
      let idle: NodeJS.Timeout | undefined;
      function finish(problem?: string) {
        clearTimeout(timer);
        clearTimeout(quiet);
        clearTimeout(idle);
        listeners.delete(look);
        if (problem) return reject(new Error(`this ${problem}:\n${commands}\n${output}`));
        const at = output.indexOf(mark);
        const printed = at < 0 ? output : output.slice(0, at);
        const code = at < 0 ? 0 : Number(output.slice(at + mark.length));
        resolve({ output: printed, code, isRunning: at < 0 });
      }
      function look() {
        clearTimeout(idle);
        if (atEnd.test(output)) return finish();
        if (isEnded) return finish("failed");
        // A program that has printed its result may still end, and a server doesn't.
        if (pattern?.test(output)) quiet ??= setTimeout(finish, 4000);
        // A server that has printed something else never ends.
        else if (pattern && output !== "") {
          idle = setTimeout(() => finish(`did not print ${pattern}`), 20_000);
        }
      }
      listeners.add(look);
      look();
    });
  }

  return {
    run: async (commands) => (await ask(commands, "set -e")).output,
    runUntil: (commands, pattern) => ask(commands, "set -e", pattern),
    outcomeOf: (command) => ask(command, "set +e"),
    folder: async () => (await ask("pwd", "set -e")).output.trim(),
    async close() {
      end();
      await ended;
      process.removeListener("exit", end);
    },
  };
}
