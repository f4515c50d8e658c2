import { useCallback, useEffect, useRef, useState } from "react";
import type { KeyhearthError } from "../errors/errors.ts";
import { asKeyhearthError } from "../react/session-store.ts";

/** What a component is doing: by name, so that the right button says so. */
export type Acts = {
  busy: string | undefined;
  error: KeyhearthError | undefined;
  /** Does one thing at a time. What it throws is shown, and given to `onError`. */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): void;
  /** Ends what is under way, and forgets the error. */
  stop(): void;
};

/** Runs what people start, one at a time. The signal aborts when the component goes away. */
export function useActs(onError: ((error: KeyhearthError) => void) | undefined): Acts {
  const [state, setState] = useState<Pick<Acts, "busy" | "error">>({
    busy: undefined,
    error: undefined,
  });
  const current = useRef<AbortController>(undefined);
  const latest = useRef(onError);
  useEffect(() => {
    latest.current = onError;
  });
  const stop = useCallback(() => {
    current.current?.abort();
    current.current = undefined;
    setState({ busy: undefined, error: undefined });
  }, []);
  useEffect(
    () => () => {
      current.current?.abort();
      current.current = undefined;
    },
    [],
  );
  const run = useCallback((name: string, work: (signal: AbortSignal) => Promise<void>) => {
    if (current.current) return;
    const turn = new AbortController();
    current.current = turn;
    const end = (error?: KeyhearthError) => {
      // It was stopped, or the component is gone.
      if (current.current !== turn) return;
      current.current = undefined;
      setState({ busy: undefined, error });
      if (error) latest.current?.(error);
    };
    setState({ busy: name, error: undefined });
    work(turn.signal).then(
      () => end(),
      (cause: unknown) => end(asKeyhearthError(cause)),
    );
  }, []);
  return { ...state, run, stop };
}
