import type { Activity } from "@keyhearth/sdk";
import type { VerifiedRequest } from "@keyhearth/sdk/crypto";
import { useEffect, useState } from "react";

/** What an activity asks for, read from the bytes that its requester stamped, or why those cannot be trusted. */
export type Verification =
  | { status: "reading" }
  | { status: "verified"; request: VerifiedRequest }
  | { status: "refused"; error: unknown };

const reading: Verification = { status: "reading" };

/** By the ids of the activities. What verifies stamps is loaded when it is needed. */
export function useVerified(activities: readonly Activity[]): (id: string) => Verification {
  const [known, setKnown] = useState<ReadonlyMap<string, Verification>>(new Map());
  const asked = activities.map(({ id, votes }) => `${id} ${votes[0]?.signature}`).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new answer with the same stamps says nothing new
  useEffect(() => {
    let isCurrent = true;
    void verifyAll(activities).then((found) => {
      if (isCurrent) setKnown(found);
    });
    return () => {
      isCurrent = false;
    };
  }, [asked]);
  return (id) => known.get(id) ?? reading;
}

async function verifyAll(activities: readonly Activity[]): Promise<Map<string, Verification>> {
  const loaded = await import("@keyhearth/sdk/crypto").catch((error: unknown) => ({ error }));
  return new Map(
    activities.map((activity): [string, Verification] => {
      if ("error" in loaded) return [activity.id, { status: "refused", error: loaded.error }];
      try {
        const request = loaded.verifyStampedRequest(activity);
        return [activity.id, { status: "verified", request }];
      } catch (error) {
        return [activity.id, { status: "refused", error }];
      }
    }),
  );
}
