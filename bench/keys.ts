import type { Result, SignKind, Task } from "./load.ts";
import { type Line, rate, shareLine } from "./report.ts";
import { BATCH } from "./requests.ts";
import { processorSeconds } from "./resources.ts";
import { inTurns, median, medianRate, medianShare } from "./turns.ts";

/** What signing with keys of other kinds costs, compared with a single digest and secp256k1. */

type Measured = { perSecond: number; processorMs: number };

type Kind = { name: string; kind: SignKind; maxRate: number };

const kinds = {
  digest: { name: "sign_raw_payload", kind: "digest", maxRate: 5000 },
  transaction: { name: "sign_transaction, EIP-1559", kind: "transaction", maxRate: 5000 },
  ed25519: { name: "sign_raw_payload, Ed25519", kind: "ed25519", maxRate: 5000 },
  batch: { name: "sign_raw_payloads", kind: "batch", maxRate: 400 },
} as const satisfies Record<string, Kind>;

type Options = {
  load: (task: Omit<Task, "url">) => Promise<Result>;
  servicePid: number | undefined;
  seconds: number;
  progress: (text: string) => void;
};

const TURNS = 5;

/** Needs organizations with an Ethereum and a Solana account. */
export async function measureKeys(options: Options) {
  const { seconds, progress } = options;
  const names = ["digest", "transaction", "ed25519", "batch"] as const;
  const { digest, transaction, ed25519, batch } = await inTurns(names, TURNS, (key, turn) => {
    const { name, kind, maxRate } = kinds[key];
    progress(`${name}, turn ${turn} of ${TURNS}`);
    // The first turn compiles.
    const times = { warmUpSeconds: turn === 0 ? 2 : 0.3, seconds: seconds / TURNS };
    return measure(options, name, { call: "sign", over: "all", kind, maxRate, ...times });
  });
  progress("create_wallet with ten accounts");
  const task = { call: "create_wallet", maxRate: 600, warmUpSeconds: 2, seconds };
  const wallets = await measure(options, "create_wallet", task);

  const lines: Line[] = [
    compare("sign_transaction, EIP-1559", transaction, digest, 0.95),
    compare("sign_raw_payload, Ed25519", ed25519, digest, 1),
    rateOf(`sign_raw_payloads of ${BATCH} digests, signatures`, middle(digest), {
      perSecond: medianRate(batch) * BATCH,
      processorMs: middle(batch).processorMs / BATCH,
      target: 10_000,
    }),
    rateOf("create_wallet with ten accounts, over many organizations", middle(digest), {
      ...wallets,
      target: 150,
    }),
  ];
  return { lines, measurements: { digest, transaction, ed25519, batch, wallets } };
}

async function measure(
  { load, servicePid }: Options,
  name: string,
  task: object,
): Promise<Measured> {
  const before = processorSeconds(servicePid) ?? Number.NaN;
  // The members that each call needs are in the task.
  const result = await load({ connections: 32, ...task } as Omit<Task, "url">);
  if (result.failed > 0) {
    throw new Error(`${result.failed} requests of ${name} failed: ${result.firstFailure}`);
  }
  const after = processorSeconds(servicePid) ?? Number.NaN;
  return {
    perSecond: result.perSecond,
    processorMs: ((after - before) / result.answered) * 1000,
  };
}

function middle(measured: Measured[]): Measured {
  return {
    perSecond: medianRate(measured),
    processorMs: median(measured.map(({ processorMs }) => processorMs)),
  };
}

function compare(what: string, measured: Measured[], digest: Measured[], least: number): Line {
  const [own, other] = [middle(measured), middle(digest)];
  return shareLine({
    what,
    perSecond: own.perSecond,
    than: { what: "sign_raw_payload", perSecond: other.perSecond },
    share: medianShare(measured, digest),
    least,
    note: `processor time ${own.processorMs.toFixed(2)} and ${other.processorMs.toFixed(2)} ms`,
  });
}

/** The rate of sign_raw_payload, over many organizations, on the machine that the targets are for. */
const DIGESTS_PER_SECOND = 1500;

/**
 * A target in requests a second is for a machine of a certain speed. A slower machine meets it with the
 * same multiple of its own sign_raw_payload, measured in the same run.
 */
function rateOf(
  what: string,
  digest: Measured,
  { perSecond, processorMs, target }: Measured & { target: number },
): Line {
  const share = perSecond / digest.perSecond;
  const needed = target / DIGESTS_PER_SECOND;
  return {
    what,
    result: `${rate(perSecond)}, ${digits(share)} times sign_raw_payload; ${digits(processorMs)} ms of processor time each`,
    target: `${rate(target)}, or ${digits(needed)} times sign_raw_payload`,
    isMet: perSecond >= target || share >= needed,
  };
}

function digits(value: number): string {
  return String(Number(value.toPrecision(2)));
}
