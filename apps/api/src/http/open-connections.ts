import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf, siteOf } from "@keyhearth/outbound/counted-addresses";
import type { Origin } from "../host/rate-limit.ts";
import { partOfNumber } from "../part-of.ts";
import { cut } from "./cut.ts";
import { type Ranking, rankStalled, type Stalled } from "./stalled-clients.ts";

export type Bounds = {
  /** Connections in all. */
  most: number;
  /** Connections of one address or IPv6 site, unless it is a trusted proxy. */
  mostOfAddress: number;
};

/** Whether there may be so few because the process may open few files. */
export type BoundsOfProcess = Bounds & { isByFiles: boolean };

/** A connection was cut to make room for a newer one. */
export type Cut = {
  /** Which bound was reached. */
  bound: "address" | "total";
  /** The address or IPv6 site that lost the connection, and how many it had. */
  address: string;
  connections: number;
  /** How many addresses or IPv6 sites had connections. */
  addresses: number;
};

/** No more than this, however many files the process may open: a connection also costs memory. */
const MAX_CONNECTIONS = 8192;

/** Twice as many as the requests that an address may have in flight. */
const MAX_OF_ADDRESS = 1024;

/** What the process opens besides: the database (the embedded one opens a file for each table and index), and workers. */
const RESERVED = 320;

/** `descriptors` is the limit of each of the workers, or null if there is none. */
export function boundsFor(descriptors: number | null, workers = 1): BoundsOfProcess {
  const files = descriptors ?? Number.POSITIVE_INFINITY;
  const left = Math.max(1, files - RESERVED, Math.floor(files / 4));
  const all = partOfNumber(MAX_CONNECTIONS, workers);
  const most = Math.min(all, left);
  const mostOfAddress = partOfNumber(MAX_OF_ADDRESS, workers);
  return {
    most,
    mostOfAddress: Math.min(mostOfAddress, Math.ceil(most / 2)),
    isByFiles: most < all,
  };
}

type Connection = {
  socket: Socket;
  network: Network;
  /** In the order in which their answers leave, with the client's address or IPv6 site if a proxy forwards them. */
  requests: Map<IncomingMessage, string>;
  /** When its last request ended, or when it began. */
  idleSinceMs: number;
};

/** A subscriber: an IPv4 address, or an IPv6 network of 64 bits. */
type Network = {
  key: string;
  site: Site;
  /** Without a request: in the order in which they became so. */
  idle: Set<Connection>;
  /** With requests under way: in the order in which the first of them began. */
  busy: Set<Connection>;
};

/** An IPv4 address, or an IPv6 site of 48 bits, which one subscriber may have. */
type Site = { key: string; isTrusted: boolean; networks: Map<string, Network>; count: number };

/** How many sites, and networks of a site, are looked at for a connection to cut. */
const TRIES = 4;

type Options = {
  onCut(cut: Cut): void;
  /** The address of the client who sent a request, as proxies report it. */
  clientOf(request: IncomingMessage): string;
  now(): number;
};

/** Whom connections wait for is counted again after so many new ones: a part of all that are counted. */
const PART_UNTIL_RECOUNT = 64;

/**
 * The open connections, each of which holds a file descriptor. Beyond a bound, a new one takes the place of an
 * older one that waits for its client: of the address itself, or of the one that has the most of all, also behind a
 * trusted proxy. So a stranger who opens many loses them to others, and never the other way round.
 */
export class OpenConnections {
  readonly #bounds: Bounds;
  readonly #options: Options;
  readonly #sites = new Map<string, Site>();
  readonly #bySocket = new Map<Socket, Connection>();
  /** All without a request, in the order in which they became so. */
  readonly #idle = new Set<Connection>();
  /** All of trusted proxies with a request, in the order in which the first of them began. */
  readonly #forwarding = new Set<Connection>();
  #ranking: Ranking<Connection> | null = null;
  #sinceCounted = 0;

  constructor(bounds: Bounds, options: Options) {
    this.#bounds = bounds;
    this.#options = options;
  }

  get count(): number {
    return this.#bySocket.size;
  }

  open(socket: Socket, origin: Origin) {
    const network = this.#networkOf(origin);
    const requests = new Map<IncomingMessage, string>();
    const idleSinceMs = this.#options.now();
    const connection: Connection = { socket, network, requests, idleSinceMs };
    this.#bySocket.set(socket, connection);
    network.site.count += 1;
    network.idle.add(connection);
    this.#idle.add(connection);
    socket.once("close", () => this.#forget(connection));
    this.#makeRoomFor(connection);
  }

  /** The head of a request is complete. */
  begin(request: IncomingMessage, response: ServerResponse) {
    const connection = this.#bySocket.get(request.socket);
    if (!connection) return;
    const { network, requests } = connection;
    const { isTrusted } = network.site;
    requests.set(request, isTrusted ? siteOf(this.#options.clientOf(request)) : "");
    network.idle.delete(connection);
    this.#idle.delete(connection);
    network.busy.add(connection);
    if (isTrusted) this.#forwarding.add(connection);
    response.once("close", () => {
      requests.delete(request);
      if (requests.size > 0 || !network.busy.delete(connection)) return;
      this.#forwarding.delete(connection);
      connection.idleSinceMs = this.#options.now();
      network.idle.add(connection);
      this.#idle.add(connection);
    });
  }

  /** Cuts those that have been without a request for longer, whatever else they send. */
  cutIdle(longestMs: number) {
    // It would keep what has ended since.
    this.#ranking = null;
    const sinceMs = this.#options.now() - longestMs;
    for (const connection of this.#idle) {
      if (connection.idleSinceMs >= sinceMs) return;
      this.#cut(connection);
    }
  }

  #makeRoomFor(connection: Connection) {
    const { most, mostOfAddress } = this.#bounds;
    const { site } = connection.network;
    if (!site.isTrusted && site.count > mostOfAddress) {
      this.#cutFor("address", victimIn(site) ?? connection);
    }
    if (this.#bySocket.size > most) this.#makeRoomForAll(connection);
  }

  /** Of the client or the address with the most, and of a proxy without a request if it has more of these. */
  #makeRoomForAll(connection: Connection) {
    // Many clients are behind a trusted proxy, so it counts as the smallest.
    const weigh = ({ isTrusted, count }: Site) => (isTrusted ? 0 : count);
    const victim = firstOf(largest(this.#sites, weigh), victimIn);
    const others = victim === undefined ? 0 : rivalsOf(victim, connection);
    const stalled = this.#forwarding.size > others ? this.#mostStalled() : undefined;
    if (stalled === undefined || stalled.count <= others) {
      return this.#cutFor("total", victim ?? connection);
    }
    const { longest, client, count } = stalled;
    this.#cutFor("total", longest, { address: client, connections: count });
  }

  #cutFor(
    bound: Cut["bound"],
    victim: Connection,
    { address, connections }: Pick<Cut, "address" | "connections"> = {
      address: victim.network.site.key,
      connections: victim.network.site.count,
    },
  ) {
    const addresses = this.#sites.size;
    this.#cut(victim);
    this.#options.onCut({ bound, address, connections, addresses });
  }

  /** Of the clients behind proxies, the one for whom the most connections wait. Others wait for none of them. */
  #mostStalled(): Stalled<Connection> | undefined {
    this.#sinceCounted += 1;
    if (this.#sinceCounted * PART_UNTIL_RECOUNT >= this.#forwarding.size) this.#ranking = null;
    if (this.#ranking === null) {
      this.#ranking = rankStalled(this.#forwarding, stalledClientOf);
      this.#sinceCounted = 0;
    }
    return this.#ranking.most();
  }

  #cut(connection: Connection) {
    this.#forget(connection);
    cut(connection.socket);
  }

  #forget(connection: Connection) {
    if (!this.#bySocket.delete(connection.socket)) return;
    const { network } = connection;
    const { site } = network;
    this.#idle.delete(connection);
    this.#forwarding.delete(connection);
    network.idle.delete(connection);
    network.busy.delete(connection);
    site.count -= 1;
    if (sizeOf(network) === 0) site.networks.delete(network.key);
    if (site.count === 0) this.#sites.delete(site.key);
  }

  #networkOf({ address, isTrusted }: Origin): Network {
    const siteKey = siteOf(address);
    // A trusted proxy does not share the site of its neighbours.
    const key = isTrusted ? `proxy ${address}` : siteKey;
    const site = this.#sites.get(key) ?? { key, isTrusted, networks: new Map(), count: 0 };
    this.#sites.set(key, site);
    const networkKey = networkOf(address);
    const known = site.networks.get(networkKey);
    if (known) return known;
    const network = {
      key: networkKey,
      site,
      idle: new Set<Connection>(),
      busy: new Set<Connection>(),
    };
    site.networks.set(networkKey, network);
    return network;
  }
}

const sizeOf = ({ idle, busy }: Network) => idle.size + busy.size;

function victimIn(site: Site): Connection | undefined {
  return firstOf(largest(site.networks, sizeOf), (network) => victimOf(network));
}

/** How many connections could go instead of this one: those of its address, or of a proxy the idle ones except the newest. */
function rivalsOf({ network: { idle, site } }: Connection, newest: Connection): number {
  if (!site.isTrusted) return site.count;
  return idle.has(newest) ? idle.size - 1 : idle.size;
}

/** Idle ones go first. One with a request goes only if it waits for its client, and no proxy sends for others. */
function victimOf({ idle, busy, site }: Network): Connection | undefined {
  const [oldest] = idle;
  if (oldest || site.isTrusted) return oldest;
  for (const connection of busy) if (waitsForClient(connection)) return connection;
  return undefined;
}

/** The rest of its request is missing, or it does not read its answer. */
function waitsForClient({ socket, requests }: Connection): boolean {
  const [first] = requests.keys();
  return first?.complete === false || socket.writableLength > 0;
}

/** The client whom a connection of a proxy waits for, if it is open and waits for no other. */
function stalledClientOf(connection: Connection): string | null {
  const { socket, requests } = connection;
  if (socket.destroyed || requests.size !== 1 || !waitsForClient(connection)) return null;
  const [client = null] = requests.values();
  return client;
}

function firstOf<T>(groups: Iterable<T>, find: (group: T) => Connection | undefined) {
  for (const group of groups) {
    const found = find(group);
    if (found) return found;
  }
  return undefined;
}

/** The largest ones first, and only a few: a flood must not cost a sort for each of its connections. */
function* largest<T>(groups: ReadonlyMap<string, T>, weigh: (group: T) => number): Generator<T> {
  const given = new Set<T>();
  for (let i = 0; i < TRIES; i++) {
    let found: T | undefined;
    for (const group of groups.values()) {
      if (!given.has(group) && (found === undefined || weigh(group) > weigh(found))) found = group;
    }
    if (found === undefined) return;
    given.add(found);
    yield found;
  }
}
