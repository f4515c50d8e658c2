import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Peak memory is null where the system has no `/proc`. */
export type Build = { seconds: number; peakBytes: number | null };

const programs = fileURLToPath(new URL("../../node_modules/.bin", import.meta.url));

/** Builds the site in a directory from nothing: without its cache and what an earlier build left. */
export async function buildCold(
  directory: string,
  args: string[] = [],
  variables: Record<string, string> = {},
): Promise<Build> {
  await docusaurus(directory, ["clear"], {});
  return docusaurus(directory, ["build", ...args], variables);
}

function docusaurus(
  directory: string,
  args: string[],
  variables: Record<string, string>,
): Promise<Build> {
  const started = performance.now();
  const path = [programs, process.env.PATH].join(delimiter);
  const child = spawn(join(programs, "docusaurus"), args, {
    cwd: directory,
    env: { ...process.env, PATH: path, NO_UPDATE_NOTIFIER: "1", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, whose memory is counted.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  let peakBytes: number | null = null;
  const timer = setInterval(() => {
    const bytes = residentBytes(child.pid ?? 0);
    if (bytes !== null) peakBytes = Math.max(peakBytes ?? 0, bytes);
  }, 250);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearInterval(timer);
      if (code === 0) resolve({ seconds: (performance.now() - started) / 1000, peakBytes });
      else reject(new Error(`docusaurus ${args.join(" ")} failed in ${directory}:\n${output}`));
    });
  });
}

/** Resident memory of all processes of a group, proc(5). Pages that they share count for each. */
function residentBytes(group: number): number | null {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .reduce((sum, name) => sum + residentBytesOf(name, group), 0);
  } catch {
    return null;
  }
}

function residentBytesOf(name: string, group: number): number {
  try {
    // The name of the program, in parentheses, may contain anything.
    const fields = readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return Number(fields[2]) === group ? Number(fields[21]) * 4096 : 0;
  } catch {
    return 0; // It has ended meanwhile.
  }
}
