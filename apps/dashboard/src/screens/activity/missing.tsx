import { type Activity, listUsers, simulateActivity } from "@keyhearth/sdk";
import { Hourglass } from "lucide-react";
import { type Simulated, simulatedOf } from "../../approvals/asked.ts";
import { useRead } from "../../data/read.ts";
import { seenName } from "../../ui/seen.ts";
import { Notice } from "../../ui/states.tsx";

const nothing: Simulated = {
  activity: { type: "", parameters: {} },
  userId: "",
  approverUserIds: [],
};

/** Whose approvals would complete it. Not every user may ask, and then nothing more is said. */
export function MissingApprovals({ activity }: { activity: Activity }) {
  const asked = simulatedOf(activity);
  const simulated = useRead("simulate_activity", simulateActivity, asked ?? nothing, {
    isEnabled: asked !== undefined,
  });
  const users = useRead("list_users", listUsers, {});
  const present = activity.votes.map(({ userId }) => userId);
  const nameOf = (id: string) =>
    seenName(users.data?.users.find(({ userId }) => userId === id)?.userName ?? id);
  const sets = (simulated.data?.neededApprovals ?? [])
    .map((ids) => ids.filter((id) => !present.includes(id)))
    .filter((ids) => ids.length > 0);
  return (
    <Notice tone="warning" icon={<Hourglass size={18} aria-hidden />}>
      <strong>It waits for approvals</strong>
      {sets.length > 0 && (
        <>
          <span>
            {sets.length === 1
              ? "It happens once these have approved it:"
              : "It happens once one of these has approved it:"}
          </span>
          <ul className="plain-list">
            {sets.slice(0, 8).map((ids) => (
              <li key={ids.join()}>{ids.map(nameOf).join(" and ")}</li>
            ))}
          </ul>
          {(sets.length > 8 || simulated.data?.hasMoreApprovals) && <span>and others.</span>}
        </>
      )}
    </Notice>
  );
}
