import { useCallback, useEffect, useRef, useState } from "react";
import type { Session } from "../browser/session.ts";
import type { Connection } from "../connection/connection.ts";
import type { KeyhearthError } from "../errors/errors.ts";
import { useKeyhearth } from "./provider.ts";
import { asKeyhearthError } from "./session-store.ts";

/** What a query has brought. It is `idle` while nobody is logged in. */
export type QueryState<Data> = (
  | { status: "idle" | "loading"; data: Data | undefined; error: undefined }
  | { status: "success"; data: Data; error: undefined }
  | { status: "error"; data: undefined; error: KeyhearthError }
) & { /** Asks again. What is shown stays until the answer arrives. */ reload(): void };

/** Every query of the API, and every function of its form. */
type Query<Parameters, Data> = (
  connection: Connection,
  parameters: Parameters,
  options: { signal?: AbortSignal; organizationId?: string },
) => Promise<Data>;

type Shown<Data> = { key: string; turn: number; data?: Data; error?: KeyhearthError };

/**
 * Sends a query as soon as somebody is logged in, and again if the parameters or the session change:
 * `useQuery(getUser, { userId })`. For another query, use another `useQuery`. When the component goes
 * away, the request is aborted.
 */
export function useQuery<Parameters extends object, Data>(
  query: Query<Parameters, Data>,
  parameters: Parameters,
  { organizationId }: { organizationId?: string } = {},
): QueryState<Data> {
  const { connection, session } = useKeyhearth();
  const [shown, setShown] = useState<Shown<Data>>({ key: "", turn: 0 });
  const [turn, setTurn] = useState(0);
  const latest = useRef({ query, parameters });
  useEffect(() => {
    latest.current = { query, parameters };
  });
  // Each login has a key of its own.
  const key = session ? JSON.stringify([session.publicKey, organizationId ?? "", parameters]) : "";
  useEffect(() => {
    if (key === "" || !connection) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const show = (outcome: { data: Data } | { error: KeyhearthError }) => {
      if (!signal.aborted) setShown({ key, turn, ...outcome });
    };
    const ask = async () => {
      // In StrictMode, React leaves at once and comes back. Then nothing may have been sent.
      await Promise.resolve();
      signal.throwIfAborted();
      const { query, parameters } = latest.current;
      const at = organizationId === undefined ? {} : { organizationId };
      return query(connection, parameters, { signal, ...at });
    };
    ask().then(
      (data) => show({ data }),
      (cause: unknown) => show({ error: asKeyhearthError(cause) }),
    );
    return () => leaving.abort();
  }, [key, connection, organizationId, turn]);
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  return { ...stateOf(key, turn, shown), reload };
}

function stateOf<Data>(key: string, turn: number, shown: Shown<Data>) {
  const none = { data: undefined, error: undefined };
  if (key === "") return { ...none, status: "idle" as const };
  // Never what belongs to another session or to other parameters.
  if (shown.key !== key) return { ...none, status: "loading" as const };
  const { data, error } = shown;
  if (shown.turn !== turn) return { ...none, data, status: "loading" as const };
  if (error) return { data: undefined, error, status: "error" as const };
  // A query that did not fail has brought its data.
  return { data: data as Data, error: undefined, status: "success" as const };
}

/** What something that people started has brought. */
export type CallState<Result> =
  | { status: "idle" | "pending"; result: undefined; error: undefined }
  | { status: "success"; result: Result; error: undefined }
  | { status: "error"; result: undefined; error: KeyhearthError };

/** A function that people start, with its state. */
export type Task<Arguments extends unknown[], Result> = CallState<Result> & {
  /** Resolves to the result, or to undefined if it failed: then `error` says why. */
  run(...given: Arguments): Promise<Result | undefined>;
  /** Forgets the result or the error. What is running goes on, and is not shown. */
  reset(): void;
};

const idle = { status: "idle", result: undefined, error: undefined } as const;

/**
 * A function that people start, such as by a button, with its state. If `run` is called again, the state
 * is that of the last call. The signal aborts when the component goes away.
 */
export function useTask<Arguments extends unknown[], Result>(
  work: (signal: AbortSignal, ...given: Arguments) => Promise<Result>,
): Task<Arguments, Result> {
  const [state, setState] = useState<CallState<Result>>(idle);
  const latest = useRef(work);
  const leaving = useRef<AbortController>(undefined);
  const last = useRef<object>(undefined);
  useEffect(() => {
    latest.current = work;
  });
  useEffect(() => {
    const mounted = new AbortController();
    leaving.current = mounted;
    return () => mounted.abort();
  }, []);
  const run = useCallback(async (...given: Arguments) => {
    const turn = {};
    last.current = turn;
    // There is a controller from the first effect on, and people start nothing before.
    const { signal } = leaving.current ?? new AbortController();
    const show = (outcome: CallState<Result>) => {
      if (last.current === turn && !signal.aborted) setState(outcome);
    };
    show({ status: "pending", result: undefined, error: undefined });
    try {
      const result = await latest.current(signal, ...given);
      show({ status: "success", result, error: undefined });
      return result;
    } catch (cause) {
      show({ status: "error", result: undefined, error: asKeyhearthError(cause) });
      return undefined;
    }
  }, []);
  const reset = useCallback(() => {
    last.current = undefined;
    setState(idle);
  }, []);
  return { ...state, run, reset };
}

/**
 * A submission that people start: `const { run, status, error } = useSubmission(createWallet)`. Its result
 * is shown to the user who started it and to nobody who logs in later.
 */
export function useSubmission<Parameters extends object, Result>(
  submission: (
    connection: Connection,
    parameters: Parameters,
    options: { signal?: AbortSignal },
  ) => Promise<Result>,
): Task<[parameters: Parameters], Result> {
  const { keeper, session } = useKeyhearth();
  const [owner, setOwner] = useState("");
  const task = useTask(async (signal, parameters: Parameters) => {
    setOwner(ownerOf(keeper.session));
    return submission(keeper.connection(), parameters, { signal });
  });
  const { run, reset } = task;
  const now = ownerOf(session);
  // If the session has ended meanwhile, the page still shows why the submission failed.
  const isTheirs = now === owner || (now === "" && task.status === "error");
  return isTheirs ? task : { ...idle, run, reset };
}

function ownerOf(session: Session | undefined): string {
  return session ? `${session.organizationId}/${session.userId}` : "";
}
