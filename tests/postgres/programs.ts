import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { delimiter, join } from "node:path";
import type { Machine } from "../start/network.ts";
import { unprivilegedUser } from "./start.ts";

/** A program of the machine, such as pgbouncer. Null if it is not installed. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

export type Program = {
  output(): string;
  /** Kills it and all that it started, without a word. */
  kill(): Promise<void>;
  /** Ends it, and kills what it leaves. */
  stop(): Promise<void>;
  /** Stops it where it is, so that its connections stay open and say nothing. */
  pause(): void;
  /** Lets it go on. */
  resume(): void;
};

/**
 * Runs a program as an unprivileged user, in a group of processes of its own. All of them end when this process does, in
 * any way: a small shell watches for that.
 */
export function startProgram(
  program: string,
  args: string[],
  {
    directory,
    environment = {},
    machine,
  }: { directory: string; environment?: Record<string, string>; machine?: Machine },
): Program {
  // A program may begin another group, as PostgreSQL does. What is in the directory is known by its name.
  const script = `"$@" & program=$!
    while read -r order; do
      case "$order" in
        pause) kill -STOP $program ;;
        resume) kill -CONT $program ;;
        *) break ;;
      esac
    done
    kill -CONT $program 2>/dev/null
    if [ "$order" = kill ]; then signal=KILL; else signal=TERM; kill -TERM $program; fi
    if [ "$signal" = TERM ]; then for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 $program 2>/dev/null || break; sleep 0.5; done; fi
    kill -KILL $program 2>/dev/null
    wait $program`;
  const user = unprivilegedUser();
  // Only root may enter another machine, and becomes the user there.
  const [command = "", ...given] = [...(machine?.enter(user) ?? []), "/bin/sh", "-c", script];
  const watcher = spawn(command, [...given, "sh", program, ...args], {
    ...(machine ? {} : user),
    cwd: directory,
    env: { PATH: process.env.PATH ?? "", LC_ALL: "C", TZ: "UTC", HOME: directory, ...environment },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  const output: string[] = [];
  for (const pipe of [watcher.stdout, watcher.stderr]) {
    pipe.on("data", (chunk: Buffer) => {
      output.push(chunk.toString());
      if (output.length > 500) output.splice(0, 250);
    });
    if (pipe instanceof Socket) pipe.unref();
  }
  watcher.unref();
  if (watcher.stdin instanceof Socket) watcher.stdin.unref();
  const ended = new Promise<void>((resolve) => watcher.once("exit", () => resolve()));
  const end = (order: string) => {
    watcher.ref();
    watcher.stdin.on("error", () => {});
    watcher.stdin.end(`${order}\n`);
    return ended;
  };
  return {
    output: () => output.join(""),
    kill: () => end("kill"),
    stop: () => end("stop"),
    pause: () => void watcher.stdin.write("pause\n"),
    resume: () => void watcher.stdin.write("resume\n"),
  };
}
