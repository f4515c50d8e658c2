import type { Result, Task } from "./load.ts";
import type { OpenBao } from "./openbao.ts";
import { shareLine } from "./report.ts";
import { inTurns, medianRate, medianShare } from "./turns.ts";

type Options = {
  load: (task: Omit<Task, "url"> & { url?: string }) => Promise<Result>;
  openBao: Pick<OpenBao, "url" | "token" | "version">;
  seconds: number;
  progress: (text: string) => void;
};

const TURNS = 5;

/**
 * Our signatures against those of OpenBao, with the same load and as many connections. Ours are durable with a record of
 * who asked for what. OpenBao keeps no such record, so a client stores one, which takes a second request; the bare
 * signature is what it does without.
 */
export async function measureAgainst({ load, openBao, seconds, progress }: Options) {
  const { url, token, version } = openBao;
  const calls = {
    ours: { call: "sign", over: "one", maxRate: 6000 },
    recorded: { call: "openbao", url, token, withRecord: true, maxRate: 6000 },
    bare: { call: "openbao", url, token, withRecord: false, maxRate: 12_000 },
  };
  const names = ["ours", "recorded", "bare"] as const;
  const { ours, recorded, bare } = await inTurns(names, TURNS, async (name, turn) => {
    progress(`against OpenBao: ${name}, turn ${turn} of ${TURNS}`);
    const times = { warmUpSeconds: turn === 0 ? 4 : 0.5, seconds: seconds / TURNS };
    // The members that each call needs are in the task.
    const task = { connections: 32, ...calls[name], ...times } as Omit<Task, "url">;
    const result = await load(task);
    if (result.failed > 0) {
      throw new Error(`${result.failed} requests of ${name} failed: ${result.firstFailure}`);
    }
    return result;
  });
  const row = (than: string, others: Result[], least: number) =>
    shareLine({
      what: `sign_raw_payload against OpenBao ${version}: ${than}`,
      perSecond: medianRate(ours),
      than: { what: "OpenBao", perSecond: medianRate(others) },
      share: medianShare(ours, others),
      least,
    });
  return {
    lines: [
      row("a signature and a durable record of it", recorded, 2),
      row("a signature alone", bare, 0.7),
    ],
    measurements: { version, ours, recorded, bare },
  };
}
