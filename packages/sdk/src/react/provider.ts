import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from "react";
import type { Session, SessionRequest } from "../browser/session.ts";
import { SessionKeeper, type SessionKeeperOptions } from "../browser/session-keeper.ts";
import type { Connection } from "../connection/connection.ts";
import { InvalidField } from "../errors/errors.ts";
import { loading, type SessionState, SessionStore } from "./session-store.ts";

const Context = /* @__PURE__ */ createContext<SessionStore | undefined>(undefined);

export type KeyhearthProviderProps = {
  /** Read once, when the provider is first rendered. To change them, give the provider another `key`. */
  options: SessionKeeperOptions;
  children?: ReactNode;
};

/**
 * Keeps the session of this browser for the components in it. Rendering it touches neither `window` nor
 * any storage, so a server may render it: it shows `loading`, and the browser continues from there.
 * Throws `InvalidField` if a pinned key of the options has the wrong form.
 */
export function KeyhearthProvider({ options, children }: KeyhearthProviderProps): ReactElement {
  const [store] = useState(() => new SessionStore(new SessionKeeper(options)));
  useEffect(() => store.start(), [store]);
  return createElement(Context.Provider, { value: store }, children);
}

/**
 * The keeper of the session, for everything that has no hook, and the connection that stamps with the
 * session. Without a session, the connection is undefined; after another user has logged in, the requests
 * of an older one throw `SessionEnded`.
 */
export function useKeyhearth(): {
  keeper: SessionKeeper;
  session: Session | undefined;
  connection: Connection | undefined;
} {
  const { keeper, state, connection } = useStore();
  return { keeper, session: state.session, connection };
}

/** Who is logged in, and how to prolong or end that. Both functions reject with a `KeyhearthError`. */
export function useSession(): SessionState & {
  refresh(request?: SessionRequest): Promise<Session>;
  logOut(options?: { everywhere?: boolean }): Promise<void>;
} {
  const { keeper, state } = useStore();
  const refresh = useCallback((request?: SessionRequest) => keeper.refresh(request), [keeper]);
  const logOut = useCallback(
    (options?: { everywhere?: boolean }) => keeper.logOut(options),
    [keeper],
  );
  return { ...state, refresh, logOut };
}

function useStore() {
  const store = useContext(Context);
  if (!store) {
    throw new InvalidField(
      "There is no KeyhearthProvider around this component. Render it inside <KeyhearthProvider options={…}>",
      { code: "INVALID_OPTION" },
    );
  }
  const { keeper, current, subscribe } = store;
  const { state, connection } = useSyncExternalStore(subscribe, current, serverSnapshot);
  return { keeper, state, connection };
}

// One object, or React would render again and again.
function serverSnapshot() {
  return loading;
}
