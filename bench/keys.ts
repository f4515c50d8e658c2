import type { Result, SignKind, Task } from "./load.ts";
import type { Line } from "./report.ts";
import { BATCH } from "./requests.ts";
import { processorSeconds } from "./resources.ts";

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

/**
 * Needs organizations with an Ethereum and a Solana account. Measures the kinds in turns, twice each,
 * so that a machine that slows down in between slows all of them.
 */
export async function measureKeys(options: Options) {
  const { seconds, progress } = options;
  const rounds: Record<keyof typeof kinds, Measured[]> = {
    digest: [],
    transaction: [],
    ed25519: [],
    batch: [],
  };
  for (let round = 0; round < 2; round++) {
    for (const key of ["digest", "transaction", "ed25519", "batch"] as const) {
      const { name, kind, maxRate } = kinds[key];
      progress(name);
      const task = { call: "sign", over: "all", kind, maxRate, warmUpSeconds: 2 };
      rounds[key].push(await measure(options, name, { ...task, seconds: seconds / 2 }));
    }
  }
  progress("create_wallet with ten accounts");
  const task = { call: "create_wallet", maxRate: 600, warmUpSeconds: 2, seconds };
  const wallets = await measure(options, "create_wallet", task);

  const digest = mean(rounds.digest);
  const transaction = mean(rounds.transaction);
  const ed25519 = mean(rounds.ed25519);
  const batch = mean(rounds.batch);
  const lines: Line[] = [
    shareOf("sign_transaction, EIP-1559", transaction, digest),
    shareOf("sign_raw_payload, Ed25519", ed25519, digest),
    rateOf(`sign_raw_payloads of ${BATCH} digests, signatures`, digest, {
      perSecond: batch.perSecond * BATCH,
      processorMs: batch.processorMs / BATCH,
      target: 10_000,
    }),
    rateOf("create_wallet with ten accounts, over many organizations", digest, {
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

function mean(measured: Measured[]): Measured {
  const of = (key: keyof Measured) =>
    measured.reduce((sum, each) => sum + each[key], 0) / measured.length;
  return { perSecond: of("perSecond"), processorMs: of("processorMs") };
}

function shareOf(what: string, measured: Measured, digest: Measured): Line {
  const share = measured.perSecond / digest.perSecond;
  return {
    what,
    result: `${rate(measured.perSecond)}, sign_raw_payload ${rate(digest.perSecond)}: ${share.toFixed(2)}; processor time ${measured.processorMs.toFixed(2)} and ${digest.processorMs.toFixed(2)} ms`,
    target: "at least 0.80 of sign_raw_payload",
    isMet: share >= 0.8,
  };
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

function rate(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")}/s`;
}
