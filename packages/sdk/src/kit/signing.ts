import { useEffect, useRef, useState } from "react";
import { getActivity } from "../calls/generated/calls.ts";
import type { Connection } from "../connection/connection.ts";
import { sleep } from "../connection/request.ts";
import { ConsensusNeeded, type KeyhearthError } from "../errors/errors.ts";
import type { Activity } from "../generated/types.ts";
import { useKeyhearth } from "../react/provider.ts";
import { useActs } from "./acts.ts";

/** A signature that people decide about: its result, why not, or what it waits for. */
export type Signing<Result> = {
  isBusy: boolean;
  error: KeyhearthError | undefined;
  /** What waits for the approval of others. */
  waiting: Pick<Activity, "id"> | undefined;
  result: Result | undefined;
  sign(): void;
};

const EVERY_MS = 3000;

type Sign<Result> = (
  connection: Connection,
  options: { timestampMs: string; signal: AbortSignal },
) => Promise<Result>;

/**
 * Signs once somebody says so. If it waits for approvals, it looks at the activity until it has ended. The same request with
 * the same time then has its result, which is verified as any other.
 */
export function useSigning<Result>(
  sign: Sign<Result>,
  {
    onSuccess,
    onError,
  }: {
    onSuccess?: ((result: Result) => void) | undefined;
    onError?: ((error: KeyhearthError) => void) | undefined;
  },
): Signing<Result> {
  const { keeper } = useKeyhearth();
  const { busy, error, run } = useActs(onError);
  const [waiting, setWaiting] = useState<Pick<Activity, "id">>();
  const [result, setResult] = useState<Result>();
  const latest = useRef({ sign, onSuccess });
  useEffect(() => {
    latest.current = { sign, onSuccess };
  });
  const start = () =>
    run("sign", async (signal) => {
      const connection = keeper.connection();
      const { sign } = latest.current;
      const options = { timestampMs: String(Date.now()), signal };
      let signed: Result;
      try {
        signed = await sign(connection, options);
      } catch (cause) {
        if (!(cause instanceof ConsensusNeeded)) throw cause;
        setWaiting({ id: cause.activity.id });
        try {
          await untilDecided(connection, cause.activity.id, signal);
          signed = await sign(connection, options);
        } finally {
          setWaiting(undefined);
        }
      }
      setResult(signed);
      latest.current.onSuccess?.(signed);
    });
  return { isBusy: busy !== undefined, error, waiting, result, sign: start };
}

async function untilDecided(connection: Connection, activityId: string, signal: AbortSignal) {
  for (;;) {
    await sleep(EVERY_MS, { signal });
    const { activity } = await getActivity(connection, { activityId }, { signal });
    if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") return;
  }
}
