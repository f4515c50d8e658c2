import type { ActivityStatus } from "@keyhearth/sdk";
import { Tag, type Tone } from "./tag.tsx";

const shown: Record<ActivityStatus, { text: string; tone: Tone }> = {
  ACTIVITY_STATUS_CREATED: { text: "Created", tone: "neutral" },
  ACTIVITY_STATUS_PENDING: { text: "Running", tone: "neutral" },
  ACTIVITY_STATUS_COMPLETED: { text: "Completed", tone: "good" },
  ACTIVITY_STATUS_FAILED: { text: "Failed", tone: "danger" },
  ACTIVITY_STATUS_CONSENSUS_NEEDED: { text: "Waits for approvals", tone: "warning" },
  ACTIVITY_STATUS_REJECTED: { text: "Rejected", tone: "danger" },
};

export function Status({ status }: { status: ActivityStatus }) {
  const { text, tone } = shown[status] ?? { text: status, tone: "neutral" };
  return <Tag tone={tone}>{text}</Tag>;
}

/** `ACTIVITY_TYPE_CREATE_WALLET_V2` as people say it: "Create wallet". */
export function nameOfType(type: string): string {
  const words = type
    .replace(/^ACTIVITY_TYPE_/, "")
    .replace(/_V\d+$/, "")
    .toLowerCase()
    .replaceAll("_", " ")
    .replace(/\bapi\b/g, "API")
    .replace(/\botp\b/g, "one-time code");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
