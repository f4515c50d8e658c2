import { listActivities } from "@keyhearth/sdk";
import { useRead } from "../data/read.ts";
import { Tag } from "../ui/tag.tsx";

const MOST = 20;

/** How many activities wait for whoever is logged in. The overview asks the same, so the answer is read once. */
export function WaitingBadge() {
  const waiting = useRead(
    "list_activities",
    listActivities,
    {
      filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
      paginationOptions: { limit: String(MOST) },
    },
    { everyMs: 5000 },
  );
  const count = waiting.data?.activities.filter(({ canApprove }) => canApprove).length ?? 0;
  if (count === 0) return null;
  return (
    <Tag tone="accent">
      {count === MOST ? `${MOST}+` : count}
      <span className="visually-hidden"> wait for you</span>
    </Tag>
  );
}
