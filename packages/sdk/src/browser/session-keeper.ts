import { logOutEverywhere, stampLogin } from "../calls/generated/calls.ts";
import { pageOf } from "../connection/answers.ts";
import { Connection } from "../connection/connection.ts";
import type { Fetch, Stamper } from "../connection/request.ts";
import type { VerifiedSession } from "../crypto/session-claims.ts";
import { asObject } from "../errors/as-object.ts";
import {
  asSession,
  ended,
  isSamePerson,
  type KeptSession,
  sessionEntry,
} from "../stampers/kept-session.ts";
import { indexedDbStorage, type KeyStorage } from "../stampers/key-storage.ts";
import { newP256Key, type P256Key } from "../stampers/p256-key.ts";
import { SessionStamper } from "../stampers/session.ts";
import { checkPinnedKeys } from "./pinned-keys.ts";
import {
  loginOf,
  type Session,
  type SessionEvent,
  type SessionListener,
  type SessionRequest,
} from "./session.ts";
import { SessionConnection } from "./session-connection.ts";
import { type Holder, type Login, verifySessionToken } from "./session-token.ts";
import { Alarm, type EndReason, Tabs } from "./tabs.ts";

export type SessionKeeperOptions = {
  /** Address of the service, such as `https://keys.example.com`. */
  baseUrl: string;
  /** Where people log in: their own organization, or the parent of their sub-organizations. */
  organizationId: string;
  /** `sessionPublicKey` of `/.well-known/keyhearth.json`, which you got from your operator. */
  sessionPublicKey: string;
  /** `verificationPublicKey` of the same file. Logins by code need it. */
  verificationPublicKey?: string;
  /**
   * `quorumPublicKey` of the same file. Then the calls of this keeper's connections throw `Unverified` unless the signer has
   * proven each address that an answer shows, as those of a `Connection` that pins the key.
   */
  quorumPublicKey?: string;
  /** For pages that keep several sessions at once. Default: `default`. */
  name?: string;
  /** Where the session is kept. Default: the IndexedDB of this origin, which all tabs share. */
  storage?: KeyStorage;
  /** Whether to prolong the session, while a page is open, when a third of its time is left. Default: false. */
  autoRefresh?: boolean;
  /** Used instead of the global `fetch`. */
  fetch?: Fetch;
};

/**
 * Keeps the session of this browser: restores it after a reload, prolongs it, ends it, and tells
 * listeners in all tabs. The key of a session is made by WebCrypto and never leaves it, or by the `storage` where there is none.
 *
 *     const keeper = new SessionKeeper({ baseUrl, organizationId, sessionPublicKey });
 *     await keeper.restore();
 *     if (!keeper.session) await logInWithPasskey(keeper, { rpId });
 *     await signRawPayload(keeper.connection(), { … });
 *
 * The constructor only checks its options, so it also works on a server. For React, `subscribe` and
 * `() => keeper.session` are what `useSyncExternalStore` takes.
 */
export class SessionKeeper {
  readonly options: Readonly<SessionKeeperOptions>;
  readonly storage: KeyStorage;
  /** Stamps with the session's key, and throws `SessionEnded` without one. */
  readonly stamper: SessionStamper;
  readonly #entry: string;
  readonly #listeners = new Set<SessionListener>();
  readonly #tabs: Tabs;
  readonly #alarm = new Alarm();
  #session: Session | undefined;
  #connection: Connection | undefined;
  #isRestored = false;
  #isClosed = false;
  #last: Promise<void> = Promise.resolve();

  constructor(options: SessionKeeperOptions) {
    checkPinnedKeys(asObject(options));
    const { name = "default", storage = indexedDbStorage() } = options;
    this.options = options;
    this.storage = storage;
    this.stamper = new SessionStamper({ name, storage });
    this.#entry = sessionEntry(name);
    this.#tabs = new Tabs(name, (reason) => this.#reconcile(reason));
  }

  /** The current session, or undefined. The same object until it changes. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** Whether `restore` has looked for a session. */
  get isRestored(): boolean {
    return this.#isRestored;
  }

  /**
   * Looks for the session that was kept before the page was loaded, and watches other tabs from now on.
   * Throws `Unsupported` if the page may not store keys. Call it once, when the page starts.
   */
  async restore(): Promise<Session | undefined> {
    this.#isClosed = false;
    this.#tabs.open();
    await this.#reconcile("lost");
    this.#isRestored = true;
    // After `close`, an unchanged session has no alarm.
    if (this.#session) this.#setAlarm(this.#session);
    return this.#session;
  }

  /** Stops watching other tabs and the time. The session stays, and `restore` begins again. */
  close(): void {
    this.#isClosed = true;
    this.#tabs.close();
    this.#alarm.clear();
  }

  /** Calls the listener at each change, in this tab or another. Returns a function that stops that. */
  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * A connection that stamps with the session, and with later ones of the same user. Throws
   * `SessionEnded` if there is none, and so do its requests once another user has logged in.
   */
  connection(): Connection {
    if (!this.#session) throw this.#ended("There is no session in this browser");
    const { organizationId, userId } = this.#session;
    const stamper = this.stamper.stamperFor({ organizationId, userId });
    this.#connection ??= new SessionConnection(
      { ...this.#target, organizationId, stamper },
      () => this.#session?.publicKey,
      (refused) => this.#reconcile(refused === undefined ? "lost" : "revoked", refused),
    );
    return this.#connection;
  }

  /** A connection without the session, for a login that this stamper stamps. */
  connectionFor(stamper: Stamper, organizationId = this.options.organizationId): Connection {
    return new Connection({ ...this.#target, organizationId, stamper });
  }

  /**
   * Starts a session with a key and the token that a login with it returned. The functions that log in
   * call it. Throws `Unverified` unless the signer stated that the token is about this key, answers the login
   * with this `proof`, and is about this organization and user, as far as they are given.
   */
  async start(
    { publicKey, privateKey }: P256Key,
    token: string,
    login: Holder & { proof: string },
    { expirationSeconds }: SessionRequest = {},
  ): Promise<Session> {
    const facts = await this.#verify(token, publicKey, login);
    const kept: KeptSession = { ...facts, privateKey, token, expirationSeconds };
    return this.#inTurn(async () => {
      await this.storage.update(this.#entry, () => kept);
      this.#tabs.tell();
      return this.#show(kept, "started");
    });
  }

  /**
   * Prolongs the session: its key logs in a new one, which takes its place here. By default it lasts as long as
   * the first login asked for. Throws `SessionEnded` if it is too late.
   */
  async refresh({ expirationSeconds, ...request }: SessionRequest = {}): Promise<Session> {
    const kept = await this.stamper.read();
    if (!kept) throw this.#ended("There is no session in this browser");
    const seconds = expirationSeconds ?? kept.expirationSeconds;
    const { parameters, options } = loginOf({ ...request, expirationSeconds: seconds });
    const connection = this.connection();
    const { publicKey, privateKey } = await newP256Key(this.storage);
    const { session: token } = await stampLogin(connection, { publicKey, ...parameters }, options);
    // Anyone may have started a session of their own with this public key.
    const { organizationId, userId } = kept;
    const facts = await this.#verify(token, publicKey, { organizationId, userId });
    const prolongs = kept.publicKey;
    return this.#inTurn(async () => {
      // A log-out meanwhile, in any tab, stays a log-out.
      const now = await this.storage.update(this.#entry, (old) =>
        old?.publicKey === prolongs ? { ...old, ...facts, privateKey, token, prolongs } : old,
      );
      const session = asSession(now);
      // Another tab may have been faster.
      if (session?.prolongs !== prolongs) {
        throw this.#ended("The session ended while it was prolonged");
      }
      this.#tabs.tell();
      return this.#show(session, "refreshed");
    });
  }

  /**
   * Logs out: deletes the session's key in this browser, so nothing can stamp with it again. With
   * `everywhere`, it first ends all of the user's sessions on all devices; if that fails, it deletes the
   * key all the same and then throws.
   */
  async logOut({ everywhere = false }: { everywhere?: boolean } = {}): Promise<void> {
    try {
      const userId = this.#session?.userId;
      if (everywhere && userId) await logOutEverywhere(this.connection(), { userId });
    } finally {
      await this.#inTurn(async () => {
        await this.storage.update(this.#entry, () => undefined);
        this.#end("logged-out");
        this.#tabs.tell("logged-out");
      });
    }
  }

  get #target(): Pick<SessionKeeperOptions, "baseUrl" | "fetch" | "quorumPublicKey"> {
    const { baseUrl, fetch, quorumPublicKey } = this.options;
    return {
      baseUrl,
      ...(fetch && { fetch }),
      ...(quorumPublicKey !== undefined && { quorumPublicKey }),
    };
  }

  #ended(what: string) {
    return ended(what, { docsUrl: pageOf(this.options.baseUrl, "SESSION_ENDED") });
  }

  #verify(token: string, publicKey: string, login: Login = {}) {
    const { sessionPublicKey, baseUrl } = this.options;
    return verifySessionToken(token, { publicKey, sessionPublicKey, baseUrl, login });
  }

  /** Makes one change at a time, so that no change is based on what was read before another one. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  /**
   * Brings the session that the page sees in line with the one that is kept. `reason` says why, if it has
   * ended. `refused` is the key of a session that the service refused.
   */
  #reconcile(reason: EndReason, refused?: string): Promise<void> {
    return this.#inTurn(async () => {
      const kept = await this.stamper.read();
      if (!kept) return this.#end(reason);
      const state = await this.#stateOf(kept, refused);
      if (state === "unchanged") {
        // A timer may ring a moment before the clock gets there.
        if (reason === "expired" && this.#session) this.#setAlarm(this.#session);
        return;
      }
      if (state === "started" || state === "refreshed") {
        this.#show(kept, state);
        return;
      }
      await this.storage.update(this.#entry, (old) =>
        old?.publicKey === kept.publicKey ? undefined : old,
      );
      this.#end(state);
      this.#tabs.tell(state);
    });
  }

  async #stateOf(kept: KeptSession, refused: string | undefined) {
    if (kept.publicKey === refused) return "revoked";
    if (kept.expiresAtMs <= Date.now()) return "expired";
    if (kept.token === this.#session?.token) return "unchanged";
    const facts = await this.#verify(kept.token, kept.publicKey).catch(() => undefined);
    // It belongs to a service with other keys, or somebody changed it.
    if (!facts || !isAbout(kept, facts)) return "lost";
    const isProlonged = this.#session && kept.prolongs === this.#session.publicKey;
    return isProlonged ? "refreshed" : "started";
  }

  #show(kept: KeptSession, type: "started" | "refreshed"): Session {
    const { organizationId, userId, publicKey, expiresAtMs, token } = kept;
    if (!this.#session || !isSamePerson(kept, this.#session)) this.#connection = undefined;
    const session = Object.freeze({ organizationId, userId, publicKey, expiresAtMs, token });
    this.#session = session;
    this.#setAlarm(session);
    this.#emit({ type, session });
    return session;
  }

  #setAlarm({ expiresAtMs }: Session) {
    if (this.#isClosed) return;
    const { autoRefresh = false } = this.options;
    const leftMs = expiresAtMs - Date.now();
    if (!autoRefresh) return this.#alarm.set(leftMs, () => this.#reconcile("expired"));
    this.#alarm.set(leftMs * (2 / 3), async () => {
      this.#alarm.set(expiresAtMs - Date.now(), () => this.#reconcile("expired"));
      // If it fails, the session expires as planned, and listeners are told then.
      await this.#tabs.alone(async () => {
        const kept = await this.stamper.read();
        if (kept?.expiresAtMs === expiresAtMs) await this.refresh();
      });
    });
  }

  #end(reason: EndReason) {
    const session = this.#session;
    this.#alarm.clear();
    this.#session = undefined;
    this.#connection = undefined;
    if (session) this.#emit({ type: "ended", session, reason });
  }

  #emit(event: SessionEvent) {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch (error) {
        // The session has changed, even if a listener throws. The page can handle its error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function isAbout(kept: KeptSession, facts: VerifiedSession): boolean {
  return (
    kept.organizationId === facts.organizationId &&
    kept.userId === facts.userId &&
    kept.expiresAtMs === facts.expiresAtMs
  );
}
