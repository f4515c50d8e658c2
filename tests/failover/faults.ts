import { setTimeout as sleep } from "node:timers/promises";
import type { Way } from "../start/line.ts";
import type { Installation, Link, Signer } from "./installation.ts";

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
function setsOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: 2 ** all.length - 1 }, (_, i) =>
    all.filter((_each, bit) => ((i + 1) >> bit) & 1),
  ).toSorted((a, b) => a.length - b.length);
}

/** What is cut, and which way. The leader is asked for when it happens. */
export type Cut = { name: string; links(): Promise<readonly [Link, Way][]> | [Link, Way][] };

const WAYS: readonly Way[] = ["both", "there", "back"];
const WORDS: Record<Way, string> = { both: "", there: ", one way", back: ", the other way" };

/** The same link, seen from its other end. */
const TURNED: Record<Way, Way> = { both: "both", there: "back", back: "there" };

/**
 * Cuts of every link and of what a machine loses with its cable, each both ways and either way, of two links in different
 * ways, and of every set of what connects API, signers, etcd and database.
 */
export function cutsOf(installation: Installation): Cut[] {
  const { links, signers, etcd, active } = installation;
  const { database, toSigner, toEtcd, peers } = links;
  const each = (all: readonly Link[], way: Way) => all.map((link): [Link, Way] => [link, way]);
  const everyWay = (name: string, linksOf: (way: Way) => ReturnType<Cut["links"]>): Cut[] =>
    WAYS.map((way) => ({ name: `${name}${WORDS[way]}`, links: () => linksOf(way) }));

  const at = (isActive: boolean) => {
    const deciding = active();
    return signers.findIndex((signer) => (signer === deciding) === isActive);
  };
  const etcdOf = (isActive: boolean) => toEtcd[at(isActive)] ?? [];
  const apiOf = () => toSigner.slice(at(true)).slice(0, 1);
  const leader = async () => Math.max(0, await etcd.leader());
  const aroundLeader = async (way: Way) => {
    const own = await leader();
    return peers.flatMap(({ from, to, link }): [Link, Way][] => {
      if (from === own) return [[link, way]];
      return to === own ? [[link, TURNED[way]]] : [];
    });
  };
  const fromSigners = async (way: Way) => {
    const own = await leader();
    return each(
      toEtcd.flatMap((lines) => lines.slice(own, own + 1)),
      TURNED[way],
    );
  };

  const single = [database, ...toSigner, ...toEtcd.flat(), ...peers.map(({ link }) => link)];
  const wide: Link[][] = [[database], ...toSigner.flatMap((link, i) => [[link], toEtcd[i] ?? []])];
  const names = ["API and database", "API and a", "a and etcd", "API and b", "b and etcd"];
  return [
    ...everyWay("the active signer and etcd", (way) => each(etcdOf(true), way)),
    ...everyWay("a standby and etcd", (way) => each(etcdOf(false), way)),
    ...everyWay("API and the active signer", (way) => each(apiOf(), way)),
    ...everyWay("API and the active signer, and it and etcd", (way) => [
      ...each(apiOf(), TURNED[way]),
      ...each(etcdOf(true), way),
    ]),
    ...(peers.length === 0
      ? []
      : [
          ...everyWay("the leader of etcd and the other members", aroundLeader),
          ...everyWay("the leader of etcd and all others", async (way) => [
            ...(await aroundLeader(way)),
            ...(await fromSigners(way)),
          ]),
        ]),
    ...everyWay("the leader of etcd and the signers", fromSigners),
    {
      name: "what the active signer tells etcd, and what etcd tells a standby",
      links: () => [...each(etcdOf(true), "there"), ...each(etcdOf(false), "back")],
    },
    {
      name: "what etcd tells the active signer, and what the database tells the API",
      links: () => [...each(etcdOf(true), "back"), [database, "back"]],
    },
    ...single.flatMap((link) => everyWay(link.name, (way) => [[link, way]])),
    ...setsOf(wide.map((_, i) => i)).map((set) => ({
      name: set.map((i) => names[i]).join(", "),
      links: () =>
        each(
          set.flatMap((i) => wide[i] ?? []),
          "both",
        ),
    })),
  ];
}

/** A link of each role, cut one way. */
export function someCutsOf(installation: Installation): Cut[] {
  const { links, signers, active } = installation;
  const { database, toSigner, toEtcd } = links;
  const at = (isActive: boolean) =>
    signers.findIndex((signer) => (signer === active()) === isActive);
  const each = (all: readonly Link[] | undefined, way: Way) =>
    (all ?? []).map((link): [Link, Way] => [link, way]);
  return [
    {
      name: "what the active signer tells etcd",
      links: () => each(toEtcd[at(true)], "there"),
    },
    { name: "what etcd tells a standby", links: () => each(toEtcd[at(false)], "back") },
    {
      name: "what the API tells the active signer",
      links: () => each(toSigner.slice(at(true)).slice(0, 1), "there"),
    },
    { name: "what the database tells the API", links: () => each([database], "back") },
    ...cutsOf(installation).filter(
      ({ name }) => name === `the leader of etcd and the other members${WORDS.there}`,
    ),
  ];
}

export async function cutFor(cut: Cut, forMs: number): Promise<Fault> {
  const links = await cut.links();
  return {
    name: `cut ${cut.name}`,
    begin() {
      for (const [link, way] of links) link.cut(way);
    },
    async end() {
      await sleep(forMs);
      for (const [link] of links) link.mend();
    },
    isOutage: true,
  };
}
