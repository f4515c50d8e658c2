import type pg from "pg";
import type { RootKey, Service } from "../tests/start/process.ts";
import { clientOf } from "./client.ts";
import type { Result, Task } from "./load.ts";
import { createSubOrganization, type Spender } from "./policies.ts";
import type { Line } from "./report.ts";
import { processorSeconds } from "./resources.ts";
import { startWorker } from "./worker.ts";

/** What a webhook endpoint costs the signatures of its organization. */

type Options = {
  load: (task: Omit<Task, "url">) => Promise<Result>;
  service: Service;
  root: RootKey;
  database: pg.Client;
  seconds: number;
  progress: (text: string) => void;
};

type Measured = { perSecond: number; processorMs: number };

const ROUNDS = 3;

/**
 * Two organizations that differ only in the endpoint sign in turns. All events are delivered before the
 * next turn, so that deliveries slow only their own organization.
 */
export async function measureWebhooks(options: Options) {
  const { service, root, database, progress } = options;
  const receiver = startWorker<object, { url: string }>("receiver.ts");
  try {
    const { url } = await receiver.ask({});
    const key = { publicKey: root.apiPublicKey, privateKey: root.apiPrivateKey };
    const parent = clientOf(service.url, root.organizationId, key);
    const without = await createSubOrganization(service.url, parent);
    const { root: owner, ...subscribed } = await createSubOrganization(service.url, parent);
    await owner.createWebhookEndpoint({ url, name: "receiver" });
    const rounds: Record<"none" | "one", Measured[]> = { none: [], one: [] };
    const { organizationId, privateKey, signWith } = without;
    let drainedSeconds = 0;
    for (let round = 0; round < ROUNDS; round++) {
      progress("sign_raw_payload without a webhook");
      rounds.none.push(await measure(options, { organizationId, privateKey, signWith }));
      progress("sign_raw_payload with a webhook");
      rounds.one.push(await measure(options, subscribed));
      const startedAt = performance.now();
      await untilDelivered(database);
      drainedSeconds += (performance.now() - startedAt) / 1000;
    }
    const [none, one] = [mean(rounds.none), mean(rounds.one)];
    const { rows } = await database.query("SELECT count(*)::int AS count FROM webhook_deliveries");
    const share = one.perSecond / none.perSecond;
    const line: Line = {
      what: "sign_raw_payload with a webhook endpoint, 32 connections, one organization",
      result: `${rate(one.perSecond)}, without ${rate(none.perSecond)}: ${share.toFixed(2)}`,
      target: "at least 0.90 of signing without",
      isMet: share >= 0.9,
    };
    return { line, measurements: { none, one, deliveries: rows[0].count, drainedSeconds } };
  } finally {
    receiver.stop();
  }
}

async function measure({ load, service, seconds }: Options, spender: Spender): Promise<Measured> {
  const { pid } = service.child;
  const before = processorSeconds(pid) ?? Number.NaN;
  const task = { call: "sign_raw_payload", spender, maxRate: 5000, connections: 32 };
  // The call's members are all there.
  const timed = { ...task, warmUpSeconds: 2, seconds: seconds / 2 } as Omit<Task, "url">;
  const { failed, firstFailure, answered, perSecond } = await load(timed);
  if (failed > 0) throw new Error(`${failed} requests failed: ${firstFailure}`);
  const after = processorSeconds(pid) ?? Number.NaN;
  return { perSecond, processorMs: ((after - before) / answered) * 1000 };
}

async function untilDelivered(database: pg.Client) {
  for (;;) {
    const { rows } = await database.query(
      `SELECT count(*) FILTER (WHERE state = 'waiting')::int AS waiting,
         count(*) FILTER (WHERE state NOT IN ('waiting', 'delivered'))::int AS lost,
         min(last_error) AS error
       FROM webhook_deliveries`,
    );
    const { waiting, lost, error } = rows[0];
    if (lost > 0) throw new Error(`${lost} events were not delivered: ${error}`);
    if (waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function mean(measured: Measured[]): Measured {
  const of = (key: keyof Measured) =>
    measured.reduce((sum, each) => sum + each[key], 0) / measured.length;
  return { perSecond: of("perSecond"), processorMs: of("processorMs") };
}

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}
