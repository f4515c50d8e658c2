import type { Result, Task } from "./load.ts";
import { type Line, shareLine } from "./report.ts";
import { ACCOUNTS } from "./requests.ts";
import { inTurns, medianRate, medianShare } from "./turns.ts";

type Options = {
  load: (task: Omit<Task, "url">) => Promise<Result>;
  seconds: number;
  progress: (text: string) => void;
};

const TURNS = 5;

const calls = {
  query: { call: "get_wallet_accounts", maxRate: 12_000 },
  sign: { call: "sign", over: "with-wallets", maxRate: 6000 },
} as const;

/** What a query costs beside signatures of the same organizations. Needs organizations. */
export async function measureQueries({ load, seconds, progress }: Options) {
  const send = async (task: object): Promise<Result> => {
    // The members that each call needs are in the task.
    const result = await load({ connections: 32, ...task } as Omit<Task, "url">);
    if (result.failed > 0) {
      throw new Error(`${result.failed} requests failed: ${result.firstFailure}`);
    }
    return result;
  };
  progress("creating wallets for queries");
  await send({ call: "create_wallet", maxRate: 100, warmUpSeconds: 0, seconds: 3 });
  const { query, sign } = await inTurns(["query", "sign"], TURNS, (name, turn) => {
    progress(`queries: ${name}, turn ${turn} of ${TURNS}`);
    const times = { warmUpSeconds: turn === 0 ? 2 : 0.3, seconds: seconds / TURNS };
    return send({ ...calls[name], ...times });
  });
  const organizations = query[0]?.organizations ?? 0;
  const line: Line = shareLine({
    what: `get_wallet_accounts of ${ACCOUNTS} accounts, 32 connections, ${organizations} organizations`,
    perSecond: medianRate(query),
    than: { what: "sign_raw_payload", perSecond: medianRate(sign) },
    share: medianShare(query, sign),
    least: 1.5,
  });
  return { line, measurements: { query, sign } };
}
