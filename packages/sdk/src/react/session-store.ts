import type { Session, SessionEvent } from "../browser/session.ts";
import type { SessionKeeper } from "../browser/session-keeper.ts";
import type { EndReason } from "../browser/tabs.ts";
import type { Connection } from "../connection/connection.ts";
import { KeyhearthError } from "../errors/errors.ts";

/**
 * Who is logged in. `loading` until the browser was asked, so also on a server. `failed` if this page may
 * not store keys. `reason` is why the last session ended, if there was one since the page was loaded.
 */
export type SessionState =
  | { status: "loading"; session: undefined; reason: undefined; error: undefined }
  | { status: "logged-in"; session: Session; reason: undefined; error: undefined }
  | { status: "logged-out"; session: undefined; reason: EndReason | undefined; error: undefined }
  | { status: "failed"; session: undefined; reason: undefined; error: KeyhearthError };

/** What is rendered: a state, and the connection of its session. */
type Snapshot = { readonly state: SessionState; readonly connection: Connection | undefined };

const none = { session: undefined, reason: undefined, error: undefined };

/** What a server renders, and a browser until it has looked for a session. */
export const loading: Snapshot = {
  state: { status: "loading", session: undefined, reason: undefined, error: undefined },
  connection: undefined,
};

/** The state of a keeper, as `useSyncExternalStore` takes it. */
export class SessionStore {
  readonly keeper: SessionKeeper;
  readonly #listeners = new Set<() => void>();
  #snapshot: Snapshot = loading;
  #starts = 0;

  constructor(keeper: SessionKeeper) {
    this.keeper = keeper;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  };

  readonly current = (): Snapshot => this.#snapshot;

  /** Looks for a session and follows it. Returns what ends that; then it may start again. */
  readonly start = (): (() => void) => {
    const start = ++this.#starts;
    const end = this.keeper.subscribe((event) => this.#follow(event));
    this.keeper.restore().then(
      () => {
        if (start === this.#starts) this.#showRestored();
      },
      (cause: unknown) => {
        if (start === this.#starts) {
          this.#show({ ...none, status: "failed", error: asKeyhearthError(cause) });
        }
      },
    );
    return () => {
      this.#starts++;
      end();
      this.keeper.close();
    };
  };

  #follow(event: SessionEvent) {
    if (event.type === "ended") {
      this.#show({ ...none, status: "logged-out", reason: event.reason });
    } else {
      this.#showSession(event.session);
    }
  }

  #showRestored() {
    const { session } = this.keeper;
    const { state } = this.#snapshot;
    if (session) {
      if (state.session !== session) this.#showSession(session);
    } else if (state.status !== "logged-out") {
      this.#show({ ...none, status: "logged-out" });
    }
  }

  #showSession(session: Session) {
    this.#show({ ...none, status: "logged-in", session }, this.keeper.connection());
  }

  #show(state: SessionState, connection?: Connection) {
    this.#snapshot = { state, connection };
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Every error as one of the SDK's. What your own functions threw becomes its `cause`. */
export function asKeyhearthError(cause: unknown): KeyhearthError {
  if (cause instanceof KeyhearthError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new KeyhearthError(message, { code: "UNKNOWN", cause });
}
