import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";
import { readManifest, scan, writeManifest } from "../../scripts/setup/inputs.mjs";
import { siteInputs } from "../../scripts/setup/served.mjs";

// Small sites with our theme, plugins and configuration builder, and content of their own.

const root = fileURLToPath(new URL("../..", import.meta.url));
const website = join(root, "apps/website");
const output = join(root, "node_modules/.cache/keyhearth/shell");

/** What earlier runs built, by what it was built from. As with the site itself, only a change leads to a build. */
const kept = "node_modules/.cache/keyhearth/shell-builds";

/** How long a build is kept that no run takes. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** A configuration in `apps/website/fixtures/shell`. */
export type Fixture = "docusaurus" | "flat" | "broken-links" | "failing" | "unknown-item";
export type Build = { directory: string; code: number | null; log: string };

const builds = new Map<Fixture, Promise<Build>>();

/** Builds a fixture once for all processes of a test run, if what it is made of has changed. */
export function build(fixture: Fixture): Promise<Build> {
  const started = builds.get(fixture) ?? buildOrAwait(fixture);
  builds.set(fixture, started);
  return started;
}

async function buildOrAwait(fixture: Fixture): Promise<Build> {
  // The processes of one run have the same parent.
  const directory = join(output, String(process.ppid), fixture);
  const result = `${directory}.json`;
  if (isFirst(directory)) {
    writeFileSync(`${result}.new`, JSON.stringify(await keptOrBuilt(fixture, directory)));
    renameSync(`${result}.new`, result);
  }
  await vi.waitUntil(() => existsSync(result), { timeout: 240_000, interval: 100 });
  return JSON.parse(readFileSync(result, "utf8"));
}

async function keptOrBuilt(fixture: Fixture, directory: string): Promise<Build> {
  const all = join(root, kept, fixture);
  const place = join(all, digestOfInputs());
  const log = join(place, "log.json");
  if (!existsSync(log)) {
    // Whole or not at all: another run may look for it meanwhile.
    const made = join(directory, "made");
    const ended = await runBuild(fixture, join(made, "site"));
    if (!isResult(ended)) return { directory: join(made, "site"), ...ended };
    mkdirSync(made, { recursive: true });
    writeFileSync(join(made, "log.json"), JSON.stringify(ended));
    mkdirSync(all, { recursive: true });
    try {
      renameSync(made, place);
    } catch (error) {
      if (!existsSync(log)) throw error;
    }
  }
  const now = new Date();
  utimesSync(place, now, now);
  for (const name of readdirSync(all)) {
    const each = join(all, name);
    if (now.getTime() - statSync(each).mtimeMs > KEPT_MS) remove(each);
  }
  return { directory: join(place, "site"), ...JSON.parse(readFileSync(log, "utf8")) };
}

/** What the machine lacked in one run is not kept for the next. */
function isResult({ code, log }: Ended): boolean {
  return code === 0 || (code === 1 && !/\b(EACCES|EMFILE|ENOMEM|ENOSPC)\b/.test(log));
}

/** Changes with each file that a fixture is built from, this one included. */
function digestOfInputs(): string {
  const manifest = `${kept}/inputs.json`;
  const inputs = [...siteInputs, "tests/shell/fixture.ts"];
  const found = scan(root, { inputs, variables: [], known: readManifest(root, manifest) });
  writeManifest(root, manifest, found);
  const digests = Object.entries(found).map(([path, { digest }]) => `${path} ${digest}\n`);
  return createHash("sha256").update(digests.join("")).digest("hex").slice(0, 16);
}

/**
 * Whether this process is the one that builds: the one that creates the directory. The first process of a
 * run also removes what ended runs have left.
 */
function isFirst(directory: string): boolean {
  const run = dirname(directory);
  if (mkdirSync(run, { recursive: true })) {
    for (const name of readdirSync(output)) if (!isAlive(Number(name))) remove(join(output, name));
  }
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

function remove(path: string) {
  rmSync(path, { recursive: true, force: true });
}

type Ended = Omit<Build, "directory">;

async function runBuild(fixture: Fixture, directory: string): Promise<Ended> {
  const cli = join(root, "node_modules/@docusaurus/core/bin/docusaurus.mjs");
  const config = ["--config", `${fixture}.config.ts`, "--out-dir", directory];
  // Minifying changes nothing that these tests look at.
  const args = [cli, "build", "fixtures/shell", ...config, "--no-minify"];
  const child = spawn(process.execPath, args, {
    cwd: website,
    env: {
      ...process.env,
      NODE_ENV: "production",
      NO_COLOR: "1",
      NO_UPDATE_NOTIFIER: "1",
      // Builds that run at the same time must not write into the same directory.
      DOCUSAURUS_GENERATED_FILES_DIR_NAME: `.docusaurus/${fixture}`,
      // Fixtures that are built at the same time would share what the builder keeps, and a page that was compiled by an
      // earlier run warns no more.
      DOCUSAURUS_NO_PERSISTENT_CACHE: "true",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      log += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, log };
}

/** The builder says its causes after the stack of what they led to. */
function withoutStack(log: string): string {
  return log.replace(/^\s+at .*\n/gm, "");
}

/** The directory of a fixture whose build has to succeed. */
export async function built(fixture: Fixture): Promise<string> {
  const { directory, code, log } = await build(fixture);
  if (code !== 0) throw new Error(`The fixture ${fixture} does not build:\n${withoutStack(log)}`);
  return directory;
}

export type Server = {
  url: string;
  /** Serves another directory at the same address from now on. */
  serve(directory: string): void;
  stop(): Promise<void>;
};

const types: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Serves a built site below the path `under`, which may differ from the base URL that the site was built for. */
export async function startServer(directory: string, under = "/"): Promise<Server> {
  let served = directory;
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const path = decodeURIComponent(pathname);
    const file = path.startsWith(under) ? findFile(served, path.slice(under.length)) : undefined;
    if (!file && under !== "/") return response.writeHead(404).end();
    const found = file ?? join(served, "404.html");
    response.writeHead(file ? 200 : 404, {
      "Content-Type": types[extname(found)] ?? "application/octet-stream",
    });
    response.end(await readFile(found));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}`,
    serve(other) {
      served = other;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function findFile(directory: string, path: string): string | undefined {
  const place = join(directory, path);
  const candidates = [place, `${place.replace(/\/$/, "")}.html`, join(place, "index.html")];
  return candidates.find((file) => existsSync(file) && statSync(file).isFile());
}
