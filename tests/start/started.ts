import type { ChildProcess } from "node:child_process";

export type Started = {
  output(): string;
  waitFor(pattern: RegExp): Promise<void>;
  /** Ends it with SIGTERM. */
  stop(): Promise<void>;
  /** Resolves when it has ended, with its exit code. */
  ended: Promise<number | null>;
};

/** What a process writes, and when it ends. */
export function follow(name: string, child: ChildProcess): Started {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    output: () => text,
    ended,
    async waitFor(pattern) {
      const deadline = Date.now() + 60_000;
      while (!pattern.test(text)) {
        if (child.exitCode !== null || Date.now() > deadline) {
          throw new Error(`${name} did not write ${pattern}:\n${text}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
