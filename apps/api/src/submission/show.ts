import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { User } from "@keyhearth/engine/records/organization";
import type { Host } from "../host/host.ts";
import { presentActivity } from "../presentation/present.ts";
import { HERE, TooHeavy } from "../reader/allowance.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { type Answered, answerWith } from "../wire/answered.ts";
import { asksOf, sent } from "./asks.ts";

type Shown = {
  activity: ActivityRecord;
  stored: StoredDocument;
  parent?: StoredDocument | null;
  viewer: User | null;
};

/** An activity as the answer to a submission. If showing it takes long, the reader does that. */
export async function showActivity(host: Host, shown: Shown): Promise<Answered> {
  const { store, interfaces, log } = host;
  const warn = log.warn.bind(log);
  const nowMs = host.now();
  try {
    const allowed = { ...shown, interfaces, warn, allowance: HERE, nowMs };
    return answerWith(await presentActivity(store.db, allowed));
  } catch (error) {
    if (!(error instanceof TooHeavy)) throw error;
  }
  const { activity, stored, parent = null, viewer } = shown;
  const job = {
    kind: "activity" as const,
    activity,
    document: sent(stored),
    parent: parent && sent(parent),
    viewer,
    nowMs,
  };
  const owner = await host.families.ownerOf(stored.organizationId);
  const json = await host.turns.reader.run(owner, ({ charge }) =>
    host.reader.run(owner.familyId, job, asksOf(host, stored), charge),
  );
  return { organizationId: stored.organizationId, json };
}
