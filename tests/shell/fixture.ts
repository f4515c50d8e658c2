import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";

// Small sites with our theme, plugins and configuration builder, and content of their own.

const root = fileURLToPath(new URL("../..", import.meta.url));
const website = join(root, "apps/website");
const output = join(root, "node_modules/.cache/keyhearth/shell");

/** A configuration in `apps/website/fixtures/shell`. */
export type Fixture = "docusaurus" | "flat" | "broken-links" | "failing" | "unknown-item";
export type Build = { directory: string; code: number | null; log: string };

const builds = new Map<Fixture, Promise<Build>>();

/** Builds a fixture once for all processes of a test run. */
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
    const { code, log } = await runBuild(fixture, directory);
    writeFileSync(`${result}.new`, JSON.stringify({ directory, code, log }));
    renameSync(`${result}.new`, result);
  }
  await vi.waitUntil(() => existsSync(result), { timeout: 240_000, interval: 100 });
  return JSON.parse(readFileSync(result, "utf8"));
}

/**
 * Whether this process is the one that builds: the one that creates the directory. The first process of a
 * run also removes what ended runs have left.
 */
function isFirst(directory: string): boolean {
  const run = dirname(directory);
  if (mkdirSync(run, { recursive: true })) {
    for (const name of readdirSync(output)) if (!isAlive(Number(name))) remove(name);
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

function remove(name: string) {
  rmSync(join(output, name), { recursive: true, force: true });
}

async function runBuild(fixture: Fixture, directory: string): Promise<Omit<Build, "directory">> {
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
