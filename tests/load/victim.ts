import { setPriority } from "node:os";
import { type Connection, openConnection } from "../../bench/connection.ts";
import { httpRequest, type Signatory, signBody, stamperOf } from "../../bench/requests.ts";
import type { RootKey } from "../start/process.ts";
import type { Latencies, Measured } from "./latencies.ts";

/** The process of another organization, which signs and asks at a steady pace. */
export type VictimTask = { url: string; key: RootKey; signWith: string; seconds: number };

/** Signatures a second, and as many queries. Together they stay within a credential's 60. */
const PER_SECOND = 20;
const MOST_CONNECTIONS = 64;

try {
  // The client must not be what is slow. Only root may have that.
  setPriority(-10);
} catch {
  // It is measured all the same.
}

/** The service closes connections that were idle for longer. */
const IDLE_MS = 30_000;

let idle: { connection: Connection; sinceMs: number }[] = [];
let opened = 0;
const waiting: (() => void)[] = [];

process.on("message", async (task: VictimTask) => {
  try {
    process.send?.({ result: await measure(task) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? error.message : String(error) });
  }
});

async function measure({ url, key, signWith, seconds }: VictimTask): Promise<Measured> {
  const { organizationId } = key;
  const stamp = stamperOf(key.apiPrivateKey);
  const measured: Measured = { signatures: [], queries: [], failures: [] };
  const post = (path: string, body: string) =>
    httpRequest(`/public/v1/${path}`, body, stamp(body), "198.51.100.1");
  const sign = () =>
    post("submit/sign_raw_payload", signBody({ organizationId, signWith } satisfies Signed));
  const asked = JSON.stringify({ organizationId });
  const queries = ["get_organization", "whoami"];
  const sent: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let i = 0; i < seconds * PER_SECOND; i++) {
    await until(startedAt + (i * 1000) / PER_SECOND);
    sent.push(time(url, sign(), measured.signatures, measured.failures));
    await until(startedAt + ((i + 0.5) * 1000) / PER_SECOND);
    const query = post(`query/${queries[i % queries.length]}`, asked);
    sent.push(time(url, query, measured.queries, measured.failures));
  }
  await Promise.all(sent);
  return measured;
}

type Signed = Omit<Signatory, "stamp">;

/** A request that has to wait for others takes longer, because its user waits too. */
async function time(url: string, request: Buffer, latencies: Latencies, failures: string[]) {
  const startedAt = performance.now();
  let connection: Connection | null = null;
  try {
    connection = await take(url);
    const { status, body } = await connection.send(request);
    latencies.push(performance.now() - startedAt);
    if (status !== 200) failures.push(`${status} ${body.toString().slice(0, 300)}`);
    give(connection);
  } catch (error) {
    connection?.close();
    opened -= 1;
    failures.push(String(error));
    waiting.shift()?.();
  }
}

async function take(url: string): Promise<Connection> {
  const old = idle.filter(({ sinceMs }) => sinceMs < performance.now() - IDLE_MS);
  idle = idle.filter((each) => !old.includes(each));
  for (const { connection } of old) connection.close();
  opened -= old.length;
  const free = idle.pop();
  if (free) return free.connection;
  if (opened >= MOST_CONNECTIONS) {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return take(url);
  }
  opened += 1;
  return openConnection(url);
}

function give(connection: Connection) {
  idle.push({ connection, sinceMs: performance.now() });
  waiting.shift()?.();
}

function until(at: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, at - performance.now())));
}
