import { Connection } from "@keyhearth/sdk";

/** Sends as the given connection does, and does not refuse a whole answer because a part of it is not proven. */
class Unpinned extends Connection {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    super(connection);
    this.#connection = connection;
  }

  override request(...given: Parameters<Connection["request"]>) {
    return this.#connection.request(...given);
  }
}

/**
 * For activities, private keys, and organizations, which list their private keys. A pinned key refuses a list for one activity
 * that made an account which was deleted since, or for one private key without an address or without its proof. Their screens check what they show: the stamps of activities, and each key's addresses.
 */
export function unpinned(connection: Connection): Connection {
  return new Unpinned(connection);
}
