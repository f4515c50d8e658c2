import type { Stamper } from "../connection/request.ts";
import { asObject } from "../errors/as-object.ts";
import {
  asSession,
  ended,
  isSamePerson,
  type KeptSession,
  type Person,
  sessionEntry,
} from "./kept-session.ts";
import { indexedDbStorage, type KeyStorage } from "./key-storage.ts";
import { stampWithP256 } from "./p256-key.ts";

export type { KeptSession, Person };

export type SessionStamperOptions = {
  /** The name that the `SessionKeeper` has. Default: `default`. */
  name?: string;
  /** Where the session is kept. Default: the IndexedDB of this origin. */
  storage?: KeyStorage;
};

/**
 * Stamps with the key of the current session, which a `SessionKeeper` of `@keyhearth/sdk/browser`
 * started. It reads the session for each stamp, so a log-out in any tab counts at once. Throws
 * `SessionEnded` if there is no session, or if it expired.
 */
export class SessionStamper implements Stamper {
  readonly #name: string;
  readonly #storage: KeyStorage;
  #expiresAtMs: number | undefined;

  constructor(options: SessionStamperOptions = {}) {
    const { name = "default", storage = indexedDbStorage() } = asObject(options);
    this.#name = sessionEntry(name);
    this.#storage = storage;
  }

  /** When the session ends, as far as this stamper has read it. Undefined without a session. */
  get expiresAtMs(): number | undefined {
    return this.#expiresAtMs;
  }

  /** The session that is kept now, which may have expired. */
  async read(): Promise<KeptSession | undefined> {
    const session = asSession(await this.#storage.read(this.#name));
    this.#expiresAtMs = session?.expiresAtMs;
    return session;
  }

  async stamp(body: string): Promise<{ name: string; value: string }> {
    return stampWithP256(await this.#current(), body);
  }

  /** Stamps for this user only. Throws `SessionEnded` if somebody else has logged in since. */
  stamperFor(person: Person): Stamper {
    return {
      stamp: async (body) => {
        const session = await this.#current();
        if (!isSamePerson(person, session)) {
          throw ended("Another user has logged in since this connection was opened");
        }
        return stampWithP256(session, body);
      },
    };
  }

  async #current(): Promise<KeptSession> {
    const session = await this.read();
    if (!session) throw ended("There is no session in this browser");
    if (session.expiresAtMs <= Date.now()) throw ended("The session has expired");
    return session;
  }
}
