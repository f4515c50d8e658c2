import { execFile } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { digestOf } from "./checksums.ts";
import { readManifest } from "./manifest.ts";

const run = promisify(execFile);

/** A release that may not be published. The message says why, in one sentence. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}

/** Refuses what should not be published: changes without a commit, and a version that exists. */
export async function assertPublishable(root: string): Promise<void> {
  const git = async (...args: string[]) => (await run("git", args, { cwd: root })).stdout.trim();
  const changed = await git("status", "--porcelain");
  if (changed !== "") {
    const [first = ""] = changed.split("\n");
    throw new Refusal(
      `the tree has changes that are not committed, such as \`${first.replace(/^\S+\s+/, "")}\`: commit or remove them`,
    );
  }
  const tag = `v${readManifest(root).version}`;
  if ((await git("tag", "--list", tag)) !== "") {
    throw new Refusal(
      `the tag ${tag} exists: set a new version with node scripts/release/version.ts VERSION`,
    );
  }
}

/** Runs the checks of `npm run check`, in a minute. The build that publishes runs the tests. */
export async function assertChecked(root: string): Promise<void> {
  try {
    await run("npm", ["run", "check"], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  } catch (cause) {
    throw new Refusal("a check fails: run `npm run check` and correct what it names", { cause });
  }
}

/** What a publication would send, a line for each file. */
export function publicationOf(directory: string): string {
  const files = readdirSync(directory).toSorted();
  const lines = files.map((file) => {
    const path = join(directory, file);
    const megabytes = (statSync(path).size / 1_000_000).toFixed(2);
    const where = file.endsWith(".tgz") ? "npm publish" : "release page";
    return `  ${where.padEnd(14)} ${megabytes.padStart(7)} MB  ${digestOf(path).slice(0, 16)}  ${file}`;
  });
  return `Nothing is published. A publication would send:\n\n${lines.join("\n")}\n`;
}
