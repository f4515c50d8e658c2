import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSigner } from "@keyhearth/signer/signer";
import { findProgram } from "../postgres/programs.ts";
import {
  createDatabase,
  findPostgres,
  freePort,
  type Postgres,
  startPostgres,
} from "../postgres/start.ts";
import { findEtcd, startEtcd, type TestEtcd } from "../signers/etcd.ts";
import { drawLine, type Line, type Way } from "../start/line.ts";
import { type Network, networkMissing, startNetwork } from "../start/network.ts";
import {
  type Process,
  type RootKey,
  readRootKey,
  type Service,
  startService,
  until,
} from "../start/process.ts";
import { pair, runRemoteSigner } from "../start/remote-signer.ts";
import { startBalancer } from "./balancer.ts";
import { type Supervised, supervise } from "./supervised.ts";

/** What the machine lacks for an installation on several machines. */
export function missingPrograms(): string[] {
  return [
    ...(findEtcd() === null ? ["etcd"] : []),
    ...(findPostgres() === null ? ["PostgreSQL"] : []),
    ...(findProgram("haproxy") === null ? ["HAProxy"] : []),
  ];
}

export type Signer = Supervised<Process> & {
  name: string;
  /** The terms in which it decided. */
  terms(): number[];
  /** Whether it runs and follows or decides. */
  isWorking(): boolean;
};

/** What is between two parts of an installation. It goes there from the first one that its name has. */
export type Link = { name: string; cut(way: Way): void; mend(): void };

/** All that can be cut. */
export type Links = {
  database: Link;
  /** From the API processes to each signer. */
  toSigner: Link[];
  /** From each signer to each member of etcd. */
  toEtcd: Link[][];
  /** From the first member of etcd to the second one. Empty where the system has no network namespaces. */
  peers: { from: number; to: number; link: Link }[];
};

export type Installation = {
  /** Of the balancer. */
  url: string;
  root: RootKey;
  databaseUrl: string;
  etcd: TestEtcd;
  signers: Signer[];
  services: Supervised<Service>[];
  links: Links;
  /** The signer that decides. Null while nobody knows. */
  active(): Signer | null;
  stop(): Promise<void>;
};

const SERVICES = 4;
const MEMBERS = 3;
const NAMES = ["a", "b"] as const;

/**
 * Two signers that share their marks in three members of etcd, API processes on one PostgreSQL, four or fewer, and HAProxy before
 * them, made of the file of the site. Between API, signers, etcd and database are lines that can be cut, and each member
 * of etcd is on a machine of its own where the system allows that.
 */
export async function startInstallation({ services = SERVICES } = {}): Promise<Installation> {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-installation-"));
  const closers: (() => Promise<unknown> | unknown)[] = [
    () => rmSync(temporary, { recursive: true, force: true }),
  ];
  const stop = async () => {
    for (const close of closers.toReversed()) await close();
  };
  try {
    const opened = await open(temporary, closers, services);
    return { ...opened, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function open(
  temporary: string,
  closers: (() => Promise<unknown> | unknown)[],
  count: number,
): Promise<Omit<Installation, "stop">> {
  const line = async (...targets: string[]): Promise<Line> => {
    const drawn = await drawLine(...targets);
    closers.push(() => drawn.close());
    return drawn;
  };
  const postgres: Postgres = await startPostgres({ fsync: false });
  closers.push(() => postgres.stop());
  const databaseUrl = await createDatabase(postgres.url, "faults");
  const database = await line(databaseUrl);
  const network = networkMissing() === null ? startNetwork(MEMBERS) : null;
  closers.push(() => network?.close());
  const etcd = await startEtcd(MEMBERS, network?.machines);
  closers.push(() => etcd.stop());

  const states = NAMES.map((name) => join(temporary, name));
  const [first = "", ...others] = states;
  openSigner({ stateDirectory: first, mayCreate: true, log: () => {} }).close();
  const pin = await pair("--state", first);
  const data = Array.from({ length: count }, (_, i) => join(temporary, `api-${i}`));
  for (const directory of data) mkdirSync(directory, { mode: 0o700 });
  const [keyFile = "", ...copies] = data.map((directory) => join(directory, "signer-door-key"));
  // They are on one machine, and a key is that of a machine.
  await pair("--state", first, "apis", await pair("--api", keyFile));
  for (const copy of copies) copyFileSync(keyFile, copy);
  // A history begins with the first signer, before there is another one.
  const begun = await runRemoteSigner(first, 0, { KEYHEARTH_MARKS: etcd.marks });
  closers.push(() => begun.kill());
  await until(begun, () => begun.stderr().includes('"event":"active"'));
  await begun.stop();
  for (const other of others) cpSync(first, other, { recursive: true });

  const signers: Signer[] = [];
  const toSigner: Line[] = [];
  const toEtcd: Line[][] = [];
  for (const [i, state] of states.entries()) {
    const lines = await Promise.all(etcd.urls.map((url) => line(url)));
    const name = String(NAMES[i]);
    const members = lines.map(({ url }) => url);
    const environment = {
      KEYHEARTH_MARKS: `etcd:${members.join(",")}`,
      KEYHEARTH_SIGNER_NAME: name,
    };
    const port = await freePort();
    const supervised = await supervise(() => runRemoteSigner(state, port, environment));
    closers.push(() => supervised.stop());
    signers.push(signerOf(supervised, name));
    toEtcd.push(lines);
    toSigner.push(await line(`tls://127.0.0.1:${port}`));
  }

  const own = new URL(databaseUrl);
  own.port = String(database.ports[0]);
  const addresses = toSigner.map(({ ports }) => `tls://127.0.0.1:${ports[0]}`);
  const ports: number[] = [];
  // The file of the balancer names as many, of which some may be off.
  for (let i = 0; i < SERVICES; i++) ports.push(await freePort());
  const services = await Promise.all(
    data.map((directory, i) =>
      supervise(() =>
        startService({
          KEYHEARTH_DATA_DIR: directory,
          PORT: String(ports[i]),
          DATABASE_URL: own.href,
          KEYHEARTH_SIGNER: addresses.join(","),
          KEYHEARTH_SIGNER_PINS: pin,
          KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1",
          KEYHEARTH_RATE_LIMIT: "off",
        }),
      ),
    ),
  );
  for (const service of services) closers.push(() => service.stop());
  const balancer = await startBalancer(ports);
  closers.push(() => balancer.stop());

  return {
    url: balancer.url,
    root: rootKeyOf(data),
    databaseUrl,
    etcd,
    signers,
    services,
    links: {
      database: { ...database, name: "API and database" },
      toSigner: toSigner.map((each, i) => ({ ...each, name: `API and signer ${NAMES[i]}` })),
      toEtcd: toEtcd.map((lines, i) =>
        lines.map((each, j) => ({ ...each, name: `signer ${NAMES[i]} and member ${j} of etcd` })),
      ),
      peers: network === null ? [] : peersIn(network),
    },
    active() {
      const newest = Math.max(0, ...signers.flatMap((each) => each.terms()));
      return signers.find((each) => each.terms().includes(newest)) ?? null;
    },
  };
}

function peersIn(network: Network): Links["peers"] {
  return network.machines.flatMap((machine, from) =>
    network.machines.slice(from + 1).map((other, i) => {
      const to = from + 1 + i;
      const link: Link = {
        name: `members ${from} and ${to} of etcd`,
        cut(way) {
          if (way !== "back") network.cut(machine, other);
          if (way !== "there") network.cut(other, machine);
        },
        mend() {
          network.mend(machine, other);
          network.mend(other, machine);
        },
      };
      return { from, to, link };
    }),
  );
}

function signerOf(supervised: Supervised<Process>, name: string): Signer {
  return {
    ...supervised,
    name,
    terms: () =>
      [...supervised.log().matchAll(/"event":"active"[^\n]*"term":(\d+)/g)].map(([, term]) =>
        Number(term),
      ),
    isWorking() {
      const { child } = supervised.running();
      const said = supervised.running().stderr();
      return (
        supervised.isUp() && child.exitCode === null && /"event":"(standby|active)"/.test(said)
      );
    },
  };
}

/** Of the process that founded the root organization. */
function rootKeyOf(data: readonly string[]): RootKey {
  for (const directory of data) {
    try {
      return readRootKey(directory);
    } catch {
      // Another one was faster.
    }
  }
  throw new Error("no process has founded the root organization");
}
