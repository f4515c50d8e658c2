import { execFileSync } from "node:child_process";
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drawLine, type Line } from "../start/line.ts";
import { findProgram, type Program, startProgram } from "./programs.ts";
import { findPostgres, freePort, makeDirectory, unprivilegedUser } from "./start.ts";

const programs = ["patroni", "etcd", "haproxy"] as const;

/** Which of them this machine lacks. */
export function missingPrograms(): string[] {
  const lacking = programs.filter((name) => findProgram(name) === null);
  return findPostgres() === null ? ["PostgreSQL", ...lacking] : lacking;
}

const NAMES = ["a", "b"] as const;
export type Name = (typeof NAMES)[number];

type Node = { name: Name; data: string; port: number; restPort: number; file: string };

export type Member = { name: Name; role: string; state: string; timeline?: number };

export type Cluster = {
  /** Where each server is, in the form `host:port`. */
  hosts: string[];
  /** Of HAProxy: the primary, and the standbys. */
  primary: string;
  standbys: string;
  superuserPassword: string;
  members(): Promise<Member[]>;
  /** Waits for a primary and a standby that confirms its commits. Returns the name of the primary. */
  untilSafe(): Promise<Name>;
  /** Kills a server, with its Patroni if the whole machine is lost, and returns when nothing of it runs. */
  lose(name: Name, what: "machine" | "server"): Promise<void>;
  /** Starts the Patroni of a machine that was lost. */
  bringBack(name: Name): void;
  log(): string;
  /** What can be cut, if it was asked for. */
  lines: Record<Name, LinesOf> | null;
  stop(): Promise<void>;
};

/** Of a machine with a server. Clients reach the server beside them. */
type LinesOf = {
  /** From its Patroni to etcd. */
  toEtcd: Line;
  /** From the other machine to its server and its Patroni. */
  fromOther: Line;
};

/** The files of the site, with the addresses, folders and passwords of this machine in place of theirs. */
export const snippet = (name: string) =>
  readFileSync(
    new URL(`../../apps/website/snippets/self-hosting/${name}`, import.meta.url),
    "utf8",
  );

/** Replaces all of these texts at once. Each must be there. */
export function adapt(text: string, pairs: [string, string][]): string {
  for (const [from] of pairs) {
    if (!text.includes(from)) throw new Error(`the sample does not have ${from}`);
  }
  const of = new Map(pairs);
  const longestFirst = pairs.map(([from]) => from).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escaped).join("|"), "g");
  return text.replace(pattern, (found) => of.get(found) ?? found);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * Two servers of PostgreSQL that Patroni looks after, one etcd, and HAProxy in front, all on free loopback ports. With lines,
 * the network between them can be cut.
 */
export async function startCluster({ hasLines = false } = {}): Promise<Cluster> {
  const owner = unprivilegedUser();
  const directory = makeDirectory(owner);
  const write = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (owner) chownSync(path, owner.uid, owner.gid);
    return path;
  };
  const start = (name: (typeof programs)[number], args: string[]) => {
    const program = findProgram(name);
    if (program === null) throw new Error(`${name} is not installed`);
    return startProgram(program, args, { directory });
  };
  const loopback = (port: number) => `127.0.0.1:${port}`;

  const [etcdPort, peerPort, primaryPort, standbyPort] = await freePorts(4);
  const etcd = start("etcd", [
    ...["--name", "one", "--data-dir", join(directory, "etcd"), "--log-level", "error"],
    ...["--listen-client-urls", `http://${loopback(etcdPort)}`],
    ...["--advertise-client-urls", `http://${loopback(etcdPort)}`],
    ...["--listen-peer-urls", `http://${loopback(peerPort)}`],
    ...["--initial-advertise-peer-urls", `http://${loopback(peerPort)}`],
    ...["--initial-cluster", `one=http://${loopback(peerPort)}`],
  ]);

  const lines = hasLines ? ({} as Record<Name, LinesOf>) : null;
  const superuserPassword = "super-password";
  const nodes = await Promise.all(NAMES.map(createNode));
  async function createNode(name: Name): Promise<Node> {
    const [port, restPort] = await freePorts(2);
    const home = join(directory, name);
    mkdirSync(home, { mode: 0o700 });
    if (owner) chownSync(home, owner.uid, owner.gid);
    const data = join(home, "data");
    const own: LinesOf | null = lines && {
      toEtcd: await drawLine(`http://${loopback(etcdPort)}`),
      fromOther: await drawLine(`tcp://${loopback(port)}`, `tcp://${loopback(restPort)}`),
    };
    if (lines && own) lines[name] = own;
    const [shownPort = port, shownRestPort = restPort] = own?.fromOther.ports ?? [];
    const text = adapt(snippet("patroni.yml"), [
      ["name: a", `name: ${name}`],
      ["connect_address: 10.0.0.1:8008", `connect_address: ${loopback(shownRestPort)}`],
      ["10.0.0.1:8008", loopback(restPort)],
      [
        "10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379",
        // A client asks etcd where else it is, and would go around the line.
        own ? `${loopback(own.toEtcd.ports[0] ?? 0)}\n  use_proxies: true` : loopback(etcdPort),
      ],
      ["connect_address: 10.0.0.1:5432", `connect_address: ${loopback(shownPort)}`],
      ["10.0.0.1:5432", loopback(port)],
      ["/var/lib/postgresql/15/keyhearth", data],
      ["/usr/lib/postgresql/15/bin", findPostgres() ?? ""],
      ["/var/lib/postgresql/patroni.pgpass", join(home, "pgpass")],
      ["/run/postgresql", home],
      ["local all postgres peer", "local all postgres scram-sha-256"],
      ["10.0.0.0/24", "127.0.0.1/32"],
      ["SUPERUSER_PASSWORD", superuserPassword],
      ["REPLICATOR_PASSWORD", "replicator-password"],
      ["REWINDER_PASSWORD", "rewinder-password"],
    ]);
    return { name, data, port, restPort, file: write(`${name}.yml`, text) };
  }
  const nodeOf = (name: Name) => nodes.find((node) => node.name === name) as Node;

  const haproxy = start("haproxy", ["-db", "-f", write("haproxy.cfg", configOfHaproxy())]);
  function configOfHaproxy(): string {
    const [a, b] = nodes as [Node, Node];
    return adapt(snippet("haproxy.cfg"), [
      ["127.0.0.1:5000", loopback(primaryPort)],
      ["127.0.0.1:5001", loopback(standbyPort)],
      ["10.0.0.1:5432 check port 8008", `${loopback(a.port)} check port ${a.restPort}`],
      ["10.0.0.2:5432 check port 8008", `${loopback(b.port)} check port ${b.restPort}`],
    ]);
  }

  const running = new Map<Name, Program>();
  const bringBack = (name: Name) => void running.set(name, start("patroni", [nodeOf(name).file]));

  async function members(): Promise<Member[]> {
    for (const { restPort } of nodes) {
      try {
        const answer = await fetch(`http://${loopback(restPort)}/cluster`, {
          signal: AbortSignal.timeout(2000),
        });
        return ((await answer.json()) as { members: Member[] }).members;
      } catch {
        // Its Patroni was killed: the other one knows.
      }
    }
    return [];
  }

  async function untilSafe(): Promise<Name> {
    const giveUpAt = Date.now() + 120_000;
    for (;;) {
      const all = await members();
      const leader = all.find(({ role, state }) => role === "leader" && state === "running");
      const standby = all.find(({ role, state }) => role === "sync_standby" && isFollowing(state));
      if (leader && standby && leader.timeline === standby.timeline) return leader.name;
      if (Date.now() > giveUpAt) {
        throw new Error(`the cluster is not safe: ${JSON.stringify(all)}\n${log()}`);
      }
      await sleep(300);
    }
  }

  const log = () =>
    [...running].map(([name, { output }]) => `${name}:\n${output().slice(-3000)}`).join("\n");

  for (const { name } of nodes) bringBack(name);
  return {
    hosts: nodes.map(({ port }) => loopback(port)),
    primary: loopback(primaryPort),
    standbys: loopback(standbyPort),
    superuserPassword,
    members,
    untilSafe,
    async lose(name, what) {
      if (what === "machine") await running.get(name)?.kill();
      await killServer(nodeOf(name).data);
    },
    bringBack,
    log,
    lines,
    async stop() {
      const all = Object.values(lines ?? {});
      for (const { toEtcd, fromOther } of all) {
        toEtcd.mend();
        fromOther.mend();
      }
      await Promise.all([...running.values()].map((patroni) => patroni.kill()));
      for (const { data } of nodes) await killServer(data);
      await Promise.all([haproxy.kill(), etcd.kill()]);
      await Promise.all(all.flatMap((own) => [own.toEtcd.close(), own.fromOther.close()]));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL 15 and Patroni 3.0 have two words for it. */
function isFollowing(state: string): boolean {
  return state === "running" || state === "streaming";
}

async function freePorts(count: number): Promise<[number, number, number, number]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  // A caller that asks for fewer takes fewer.
  return [...ports] as [number, number, number, number];
}

/** Kills a server and all of its processes, as a power cut does. */
async function killServer(data: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  } catch {
    return;
  }
  const all = [pid, ...childrenOf(pid)];
  for (const each of all) kill(each, "SIGKILL");
  while (all.some((each) => kill(each, 0))) await sleep(20);
}

function childrenOf(pid: number): number[] {
  try {
    const output = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
    return output.split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function kill(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}
