/** The connections of proxies that wait for their clients. */
export type Stalled<C> = { client: string; longest: C; count: number };

type Waiting<C> = { client: string; connections: C[] };

/** Counts whom connections wait for, in the order in which they began to. */
export function rankStalled<C>(
  connections: Iterable<C>,
  clientOf: (connection: C) => string | null,
): Ranking<C> {
  const found = new Map<string, Waiting<C>>();
  for (const connection of connections) {
    const client = clientOf(connection);
    if (client === null) continue;
    const own = found.get(client);
    if (own) own.connections.push(connection);
    else found.set(client, { client, connections: [connection] });
  }
  return new Ranking(found.values(), clientOf);
}

/**
 * Clients by how many connections wait for them. Counting looks at all connections, which takes milliseconds, so a
 * count is used for several cuts. None of what no longer waits is given.
 */
export class Ranking<C> {
  readonly #clientOf: (connection: C) => string | null;
  /** At each index, the clients for whom so many wait. */
  readonly #levels: Set<Waiting<C>>[] = [];

  constructor(all: Iterable<Waiting<C>>, clientOf: (connection: C) => string | null) {
    this.#clientOf = clientOf;
    for (const each of all) this.#put(each);
  }

  /** Of clients with as many, the one that has waited longest comes first. */
  most(): Stalled<C> | undefined {
    for (let level = this.#levels.pop(); level; level = this.#levels.pop()) {
      const size = this.#levels.length;
      for (const each of level) {
        const { client, connections } = each;
        let [longest] = connections;
        while (longest !== undefined && this.#clientOf(longest) !== client) {
          connections.shift();
          [longest] = connections;
        }
        if (longest !== undefined && connections.length === size) {
          this.#levels.push(level);
          return { client, longest, count: size };
        }
        level.delete(each);
        this.#put(each);
      }
    }
    return undefined;
  }

  #put(waiting: Waiting<C>) {
    const { length } = waiting.connections;
    if (length === 0) return;
    while (this.#levels.length <= length) this.#levels.push(new Set());
    this.#levels[length]?.add(waiting);
  }
}
