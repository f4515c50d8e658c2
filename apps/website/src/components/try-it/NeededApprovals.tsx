import Translate from "@docusaurus/Translate";
import type { Activity } from "@keyhearth/sdk";
import { useEffect, useState } from "react";
import type { Connected } from "./connected.ts";
import { askedBy, type Needed, neededFor } from "./needed-approvals.ts";

type Props = { activity: Activity; connected: Connected };

/** Whose approvals an activity waits for. With a passkey it is not asked, as each question would be a prompt. */
export function NeededApprovals({ activity, connected }: Props) {
  const [needed, setNeeded] = useState<Needed | null>(null);
  const votes = activity.votes.length;
  // Only a vote changes the answer, and the activity is another object whenever it is read.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    const asked = askedBy(activity);
    if (!asked || connected.asksEachTime) return;
    let isGone = false;
    neededFor(connected, asked.activity, asked.by).then(
      (found) => isGone || setNeeded(found),
      // Not everybody may ask, and the activity says enough without it.
      () => isGone || setNeeded(null),
    );
    return () => {
      isGone = true;
    };
  }, [activity.id, votes, connected]);
  if (!needed || needed.sets.length === 0) return null;
  const names = needed.sets.map((set) => set.join(" + ")).join("; ");
  return (
    <p>
      <Translate
        id="tryIt.needed"
        values={{ names: <b>{names + (needed.hasMore ? "; …" : "")}</b> }}
      >
        {"Missing approvals, any one of these sets: {names}"}
      </Translate>
    </p>
  );
}
