import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { User } from "@keyhearth/engine/records/organization";
import { renderActivity, type ShownActivity } from "./render.ts";
import type { Db } from "./store/connect.ts";
import type { StoredDocument } from "./store/organizations.ts";
import { findVoters } from "./store/voters.ts";

/** An activity as the asking user sees it, its voters as they were when they voted. */
export async function presentActivity(
  db: Db,
  {
    stored,
    activity,
    viewer,
    nowMs,
  }: { stored: StoredDocument; activity: ActivityRecord; viewer: User | null; nowMs: number },
): Promise<ShownActivity> {
  const voterOf = await findVoters(db, stored, [activity]);
  return renderActivity({ activity, document: stored.document, voterOf, viewer, nowMs });
}
