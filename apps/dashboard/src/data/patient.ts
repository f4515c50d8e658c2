import { type Connection, ConsensusNeeded, getActivity, SessionEnded } from "@keyhearth/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { type Current, useCurrent } from "../session/current.tsx";
import { fieldErrors } from "./field-errors.ts";

/** How often it looks whether others have decided. */
const EVERY_MS = 1500;

export type Sending = { timestampMs: string; signal: AbortSignal };

type Options<Values extends FieldValues> = {
  form?: UseFormReturn<Values>;
  renamed?: Readonly<Record<string, FieldPath<Values>>>;
};

/**
 * For submissions whose results are needed on this screen, such as a signature or an export. If one waits for approvals, the screen
 * says so, and goes on once others have approved: the same bytes are then sent again, which have the result. `step` sends one.
 */
export function usePatience<Values extends FieldValues = FieldValues>({
  form,
  renamed,
}: Options<Values> = {}) {
  const { connection, unpinned } = useCurrent();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [waiting, setWaiting] = useState<string>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const run = async <Result>(act: (step: Step) => Promise<Result>): Promise<Result | undefined> => {
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    const { signal } = current;
    setBusy(true);
    setError(undefined);
    const onWaiting = (activityId: string | undefined) => {
      if (!signal.aborted) setWaiting(activityId);
    };
    try {
      const result = await act((send) =>
        sendPatiently({ connection, unpinned }, send, { signal, onWaiting }),
      );
      return signal.aborted ? undefined : result;
    } catch (cause) {
      if (signal.aborted || cause instanceof SessionEnded) return undefined;
      const names = form ? namesOf(form.getValues()) : [];
      const { atFields, rest } = fieldErrors(cause, names, renamed);
      for (const { name, message } of atFields) {
        form?.setError(
          name as FieldPath<Values>,
          { type: "service", message },
          { shouldFocus: true },
        );
      }
      setError(rest);
      return undefined;
    } finally {
      if (!signal.aborted) {
        setBusy(false);
        setWaiting(undefined);
      }
      void queries.invalidateQueries({ queryKey: ["api"] });
    }
  };
  const stop = () => {
    running.current?.abort();
    setBusy(false);
    setWaiting(undefined);
  };
  const clear = () => setError(undefined);
  return { run, stop, clear, isBusy, error, waiting };
}

type Send<Result> = (connection: Connection, options: Sending) => Promise<Result>;

/** Sends one request, and waits for the approvals that it needs. */
export type Step = <Result>(send: Send<Result>) => Promise<Result>;

async function sendPatiently<Result>(
  { connection, unpinned }: Pick<Current, "connection" | "unpinned">,
  send: Send<Result>,
  {
    signal,
    onWaiting,
  }: { signal: AbortSignal; onWaiting: (activityId: string | undefined) => void },
): Promise<Result> {
  const options = { timestampMs: String(Date.now()), signal };
  try {
    return await send(connection, options);
  } catch (cause) {
    if (!(cause instanceof ConsensusNeeded)) throw cause;
    const { id: activityId } = cause.activity;
    onWaiting(activityId);
    await untilDecided(unpinned, activityId, signal);
    onWaiting(undefined);
    return await send(connection, options);
  }
}

async function untilDecided(connection: Connection, activityId: string, signal: AbortSignal) {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    signal.throwIfAborted();
    const { activity } = await getActivity(connection, { activityId }, { signal });
    if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") return;
  }
}

function namesOf(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === "object" && value !== null
      ? namesOf(value).map((inner) => `${name}.${inner}`)
      : [name],
  );
}
