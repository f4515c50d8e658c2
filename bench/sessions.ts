import type { Parent, Result, Task } from "./load.ts";
import { type Line, rate } from "./report.ts";
import { processorSeconds } from "./resources.ts";

/** What logins cost, compared with signatures of the same run, and whether they slow signatures down. */

type Options = {
  load: (task: Omit<Task, "url">) => Promise<Result>;
  servicePid: number | undefined;
  seconds: number;
  progress: (text: string) => void;
  parent: Parent;
  stateDirectory: string;
};

type Measured = { perSecond: number; processorMs: number; p50Ms: number };

const calls = {
  sign: { call: "sign", over: "all", maxRate: 5000 },
  login: { call: "login", over: "all", maxRate: 4000 },
  otp: { call: "otp_login", maxRate: 2500 },
  alone: { call: "sign", over: "one", maxRate: 5000 },
  beside: { call: "sign", over: "one", maxRate: 5000, loginsPerSecond: 100 },
} as const;

/**
 * Measures the calls in turns, three times each, so that a machine that slows down in between slows all
 * of them.
 */
export async function measureSessions(options: Options) {
  const { seconds, progress, parent, stateDirectory } = options;
  const rounds: Record<keyof typeof calls, Measured[]> = {
    sign: [],
    login: [],
    otp: [],
    alone: [],
    beside: [],
  };
  for (let round = 0; round < 3; round++) {
    for (const name of ["sign", "login", "otp", "alone", "beside"] as const) {
      progress(`sessions: ${name}`);
      const task = { ...calls[name], parent, stateDirectory, seconds: seconds / 2 };
      rounds[name].push(await measure(options, task));
    }
  }
  progress("sessions: logins that end the others");
  const task = { call: "login", over: "all", invalidateExisting: true, maxRate: 1000 };
  const ending = await measure(options, { ...task, warmUpSeconds: 0, seconds });

  const [sign, login, otp] = [mean(rounds.sign), mean(rounds.login), mean(rounds.otp)];
  const [alone, beside] = [mean(rounds.alone), mean(rounds.beside)];
  const share = beside.perSecond / alone.perSecond;
  const lines: Line[] = [
    loginLine("stamp_login", login, sign),
    loginLine("otp_login", otp, sign),
    {
      what: "sign_raw_payload beside 100 logins/s of one user of the organization",
      result: `${rate(beside.perSecond)}, alone ${rate(alone.perSecond)}: ${share.toFixed(2)}`,
      target: "at least 0.90 of signing alone",
      isMet: share >= 0.9,
    },
    {
      what: "stamp_login with invalidateExisting, which changes the document",
      result: `${rate(ending.perSecond)}; processor time ${ending.processorMs.toFixed(2)} ms`,
      target: "",
      isMet: null,
    },
  ];
  return { lines, measurements: { sign, login, otp, alone, beside, ending } };
}

function loginLine(name: string, login: Measured, sign: Measured): Line {
  const share = login.perSecond / sign.perSecond;
  return {
    what: `${name}, 32 connections, 1,000 users`,
    result: `${rate(login.perSecond)}, sign_raw_payload ${rate(sign.perSecond)}: ${share.toFixed(2)}; processor time ${login.processorMs.toFixed(2)} and ${sign.processorMs.toFixed(2)} ms`,
    // The rate is for a machine that signs 1,500 times a second. A slower one is compared with that.
    target: "500/s, or 0.33 of sign_raw_payload",
    isMet: login.perSecond >= 500 || share >= 500 / 1500,
  };
}

async function measure({ load, servicePid }: Options, task: object): Promise<Measured> {
  const before = processorSeconds(servicePid) ?? Number.NaN;
  // The members that each call needs are in the task.
  const all = { connections: 32, warmUpSeconds: 2, ...task } as Omit<Task, "url">;
  const { failed, firstFailure, answered, perSecond, p50Ms } = await load(all);
  if (failed > 0) throw new Error(`${failed} requests failed: ${firstFailure}`);
  const after = processorSeconds(servicePid) ?? Number.NaN;
  return { perSecond, p50Ms, processorMs: ((after - before) / answered) * 1000 };
}

function mean(measured: Measured[]): Measured {
  const of = (key: keyof Measured) =>
    measured.reduce((sum, each) => sum + each[key], 0) / measured.length;
  return { perSecond: of("perSecond"), processorMs: of("processorMs"), p50Ms: of("p50Ms") };
}
