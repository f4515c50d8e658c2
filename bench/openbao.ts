import { spawn } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../tests/postgres/start.ts";

/** The OpenBao that we compare ourselves with: one node with integrated storage and a file of audit records. */
export type OpenBao = {
  url: string;
  token: string;
  version: string;
  pid: number;
  stop(): Promise<void>;
};

/** The names in its addresses: what signs, its key, and what stores. */
export const TRANSIT_PATH = "/v1/transit/sign/bench";
export const STORE_PATH = "/v1/secret/data";

const START_SECONDS = 30;

/** Why a file cannot be started, as the end of a sentence that names it; null if it can be tried. */
export function refusalOf(binary: string): string | null {
  const found = statSync(binary, { throwIfNoEntry: false });
  if (!found) return "does not exist";
  if (!found.isFile()) return "is not a file";
  return (found.mode & 0o111) === 0 ? "may not be executed" : null;
}

/** Starts it with its files in `directory`, initializes and unseals it, and makes the key and the store. */
export async function startOpenBao(binary: string, directory: string): Promise<OpenBao> {
  const refusal = refusalOf(binary);
  if (refusal) throw new Error(`${binary} ${refusal}`);
  const [port, clusterPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const config = join(directory, "openbao.hcl");
  mkdirSync(join(directory, "raft"), { recursive: true });
  writeFileSync(config, configOf(directory, url, port, clusterPort));
  const server = run(binary, ["server", `-config=${config}`]);
  try {
    const ask = askerOf(server, binary, url);
    await until(server, binary, () => isAnswering(url, "sys/init"));
    const shares = { secret_shares: 1, secret_threshold: 1 };
    const made = await ask<{ keys_base64: string[]; root_token: string }>("sys/init", shares);
    const { version } = await ask<{ version: string }>("sys/unseal", { key: made.keys_base64[0] });
    // Unsealed it becomes the leader of its cluster of one, and answers 200 only then.
    await until(server, binary, () => isAnswering(url, "sys/health"));
    const token = made.root_token;
    await ask("sys/mounts/transit", { type: "transit" }, token);
    await ask("transit/keys/bench", { type: "ecdsa-p256" }, token);
    await ask("sys/mounts/secret", { type: "kv", options: { version: "2" } }, token);
    const { data } = await ask<{ data: object }>("sys/audit", undefined, token);
    if (!("file/" in data)) throw new Error(`${binary} writes no audit records`);
    return {
      url,
      token,
      version,
      pid: Number(server.pid),
      stop: server.stop,
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Audit devices are declared here, because the API makes none. */
function configOf(directory: string, url: string, port: number, clusterPort: number): string {
  const path = (name: string) => JSON.stringify(join(directory, name));
  return `storage "raft" {
  path = ${path("raft")}
  node_id = "bench"
}
listener "tcp" {
  address = "127.0.0.1:${port}"
  tls_disable = true
}
audit "file" "file" {
  options {
    file_path = ${path("audit.log")}
  }
}
api_addr = "${url}"
cluster_addr = "http://127.0.0.1:${clusterPort}"
log_level = "warn"
`;
}

type Server = {
  pid: number | undefined;
  /** How it ended; null as long as it runs. */
  end(): string | null;
  output(): string;
  stop(): Promise<void>;
};

function run(binary: string, args: string[]): Server {
  const { PATH, HOME } = process.env;
  const child = spawn(binary, args, { env: { PATH, HOME }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let end: string | null = null;
  const collect = (chunk: Buffer) => {
    // Its first words say why it does not start.
    if (output.length < 4000) output += chunk.toString();
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const ended = new Promise<void>((resolve) => {
    child.once("error", ({ message }) => {
      end = `did not start (${message})`;
      resolve();
    });
    // After "close" all of its output has arrived.
    child.once("close", (code, signal) => {
      end ??= `ended ${code === null ? `by ${signal}` : `with ${code}`} before it was ready`;
      resolve();
    });
  });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    pid: child.pid,
    end: () => end,
    output: () => output.trim().replace(/\s*\n\s*/g, "; ") || "it printed nothing",
    async stop() {
      child.kill();
      const timer = setTimeout(kill, 12_000);
      await ended;
      clearTimeout(timer);
      process.off("exit", kill);
    },
  };
}

function askerOf(server: Server, binary: string, url: string) {
  return async <Answer>(path: string, body?: object, token?: string): Promise<Answer> => {
    const response = await fetch(`${url}/v1/${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: token === undefined ? {} : { "X-Vault-Token": token },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      failIfEnded(server, binary);
      throw error;
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${binary} answered ${path} with ${response.status}: ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Answer;
  };
}

async function isAnswering(url: string, path: string): Promise<boolean> {
  return fetch(`${url}/v1/${path}`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function until(server: Server, binary: string, isSo: () => Promise<boolean>) {
  const giveUpAt = performance.now() + START_SECONDS * 1000;
  while (!(await isSo())) {
    failIfEnded(server, binary);
    if (performance.now() > giveUpAt) {
      const late = `was not ready after ${START_SECONDS} seconds`;
      throw new Error(`${binary} ${late}: ${server.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function failIfEnded(server: Server, binary: string) {
  const end = server.end();
  if (end !== null) throw new Error(`${binary} ${end}: ${server.output()}`);
}
