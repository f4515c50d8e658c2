import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { ACTIVITY_UPDATES } from "@keyhearth/engine/records/webhook-endpoints";
import { familyIdOf } from "./organizations.ts";

/** A URL that gets the events of an organization and of its sub-organizations. */
export type WebhookTarget = {
  organizationId: string;
  endpointId: string;
  url: string;
  familyId: string;
};

/** What a document sends events to: active endpoints that subscribe to them, and the feature's URL. */
function targetsOfDocument(document: OrganizationDocument): WebhookTarget[] {
  const { organizationId, webhookEndpoints, features, deletedAtMs } = document;
  if (deletedAtMs !== null) return [];
  const familyId = familyIdOf(document);
  const feature = features.find(({ name }) => name === "FEATURE_NAME_WEBHOOK");
  const endpoints = webhookEndpoints.filter(
    ({ isActive, subscriptions }) =>
      isActive &&
      subscriptions.some((each) => each.isActive && each.eventType === ACTIVITY_UPDATES),
  );
  return [
    ...endpoints.map(({ endpointId, url }) => ({ organizationId, endpointId, url, familyId })),
    ...(feature?.value
      ? [{ organizationId, endpointId: organizationId, url: feature.value, familyId }]
      : []),
  ];
}

/** Targets to write, and endpoints that get nothing from then on. */
export type TargetChanges = { written: WebhookTarget[]; removed: string[] };

export function changeTargets(
  current: OrganizationDocument | null,
  next: OrganizationDocument,
): TargetChanges {
  const before = new Map(
    (current ? targetsOfDocument(current) : []).map(({ endpointId, url }) => [endpointId, url]),
  );
  const after = targetsOfDocument(next);
  const kept = new Set(after.map(({ endpointId }) => endpointId));
  return {
    written: after.filter(({ endpointId, url }) => before.get(endpointId) !== url),
    removed: [...before.keys()].filter((endpointId) => !kept.has(endpointId)),
  };
}
