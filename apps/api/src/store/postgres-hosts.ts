import pg from "pg";

/** The hosts of a database, and which of them is used. All pools of a thread share it. */
export class Hosts {
  readonly #urls: readonly string[];
  /** The host that new connections are to. */
  #current = 0;
  /** The host that took writes last. */
  #primary = 0;
  /** The open connections, and the host of each. */
  readonly #hostOf = new Map<pg.Client, number>();

  /** Whether there is a pooler in transaction mode before each host. */
  readonly isPooled: boolean;

  /** @param urls one for each host, at least one */
  constructor(urls: readonly string[], { isPooled }: { isPooled: boolean }) {
    this.#urls = urls;
    this.isPooled = isPooled;
  }

  get count(): number {
    return this.#urls.length;
  }

  get current(): number {
    return this.#current;
  }

  /** The class of a pool's connections, which are to the current host. */
  get Client(): typeof pg.Client {
    const hosts = this;
    return class extends pg.Client {
      constructor(config?: string | pg.ClientConfig) {
        const connectionString = hosts.#urls[hosts.#current];
        super({ ...Object(config), connectionString });
        hosts.#hostOf.set(this, hosts.#current);
        this.once("end", () => hosts.#hostOf.delete(this));
        // The pool forgets a connection that its host refuses, which the host may keep open.
        const end = () => cut(this);
        this.connection.once("errorMessage", end);
        this.connection.once("readyForQuery", () => this.connection.off("errorMessage", end));
      }
    };
  }

  /** Tries the next host, unless somebody does so already. The connections that are there are used until one is found. */
  leave(host: number): void {
    if (this.#current === host) this.#current = (host + 1) % this.#urls.length;
  }

  /** As `leave`, for the host of a connection. */
  leaveHostOf(client: pg.ClientBase): void {
    const host = this.#hostOf.get(client as pg.Client);
    if (host !== undefined) this.leave(host);
  }

  /**
   * Uses the host of a connection that takes writes. Connections to others are cut: on one to a machine that vanished,
   * statements would wait for a minute, and one to a former primary must not be written to.
   */
  use(client: pg.ClientBase): void {
    const host = this.#hostOf.get(client as pg.Client);
    if (host === undefined) return;
    this.#current = host;
    this.#primary = host;
    for (const [each, of] of this.#hostOf) if (of !== host) cut(each);
  }

  /** Whether a connection is to a host that was the primary once. */
  isLeft(client: pg.ClientBase): boolean {
    const host = this.#hostOf.get(client as pg.Client);
    return host !== undefined && host !== this.#primary;
  }
}

/**
 * Ends a connection at once. A goodbye would wait for a machine that vanished, the pool would lend what it does not know to
 * have ended, and whoever waits for a connection that is still being made would never hear of it.
 */
export function cut(client: pg.ClientBase): void {
  const { connection } = client as pg.Client;
  connection.stream.destroy(new Error("Connection terminated: its host cannot be used"));
}
