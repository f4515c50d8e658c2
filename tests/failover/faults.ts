import { setTimeout as sleep } from "node:timers/promises";
import type { Installation, Pair, Signer } from "./installation.ts";

/** What goes wrong, and how it is undone. */
export type Fault = {
  name: string;
  begin(): Promise<void> | void;
  /** Once clients are served again, or at once if they are served only afterwards. */
  end?: () => Promise<void> | void;
  /** Whether clients may be served only once it has been undone. */
  isOutage?: boolean;
};

/** Long enough for another one to take over. */
const PAUSE_MS = 2500;

type Program = {
  kill(): Promise<unknown> | unknown;
  end(): Promise<unknown> | unknown;
  pause(): void;
  resume(): void;
  /** Where no supervisor does it. */
  restart?: () => void;
};

function ways(name: string, program: Program): Fault[] {
  const restart = () => program.restart?.();
  return [
    { name: `kill ${name}`, begin: async () => void (await program.kill()), end: restart },
    {
      name: `pause ${name}`,
      begin: () => program.pause(),
      async end() {
        await sleep(PAUSE_MS);
        program.resume();
      },
    },
    { name: `end ${name}`, begin: async () => void (await program.end()), end: restart },
  ];
}

const programOf = (one: Pick<Signer, "signal">): Program => ({
  kill: () => one.signal("SIGKILL"),
  end: () => one.signal("SIGTERM"),
  pause: () => one.signal("SIGSTOP"),
  resume: () => one.signal("SIGCONT"),
});

/** Faults of signers and of members of etcd, each kind as often as the others. */
export function faultsOfSigners({ signers, active, etcd }: Installation, count: number): Fault[] {
  const deciding = active();
  const standby = signers.find((each) => each !== deciding);
  if (!deciding || !standby) throw new Error("nobody decides, or nobody follows");
  const at = count % etcd.members.length;
  const member = etcd.members[at];
  if (!member) throw new Error("no etcd");
  const all = [
    ...ways("the active signer", programOf(deciding)),
    ...ways("a standby", programOf(standby)),
    ...ways("a member of etcd", member),
  ];
  const [killed, , , , , , memberKilled] = all as [Fault, ...Fault[]];
  // The machine of both.
  const machine: Fault = {
    name: "kill the active signer with a member of etcd",
    begin: async () => void (await Promise.all([killed.begin(), memberKilled?.begin()])),
    end: () => memberKilled?.end?.(),
  };
  return [...all, machine];
}

export function faultsOfServices({ services }: Installation, count: number): Fault[] {
  const service = services[count % services.length];
  if (!service) throw new Error("no API");
  return ways("an API process", programOf(service));
}

/** Every set of these but the empty one, from the single ones to all of them. */
export function setsOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: 2 ** all.length - 1 }, (_, i) =>
    all.filter((_each, bit) => ((i + 1) >> bit) & 1),
  ).toSorted((a, b) => a.length - b.length);
}

export function cutBetween(pairs: readonly Pair[], forMs: number): Fault {
  return {
    name: `cut ${pairs.map(({ name }) => name).join(", ")}`,
    begin() {
      for (const { line } of pairs) line.cut();
    },
    async end() {
      await sleep(forMs);
      for (const { line } of pairs) line.mend();
    },
    isOutage: true,
  };
}
