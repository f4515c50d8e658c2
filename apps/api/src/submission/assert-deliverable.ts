import { ApiError, invalid, notFound } from "@keyhearth/engine/errors";
import { refusalOf } from "@keyhearth/outbound/guarded-request";
import type { Host } from "../host/host.ts";
import { targetsOfFamily, unlessListed } from "../host/private-receivers.ts";
import type { CommitUnit } from "../store/commit-unit.ts";
import { findDelivery } from "../store/webhook-deliveries.ts";

/**
 * Refuses what only the host can know: an endpoint at a URL that it would not send to, and a delivery
 * that does not exist. A name is looked up at each delivery, so it is not looked up here.
 */
export async function assertDeliverable(
  { store: { db }, webhookPrivateTargets }: Host,
  { organizationId, targets, resent }: CommitUnit,
) {
  for (const { endpointId, url, familyId } of targets.written) {
    // The URL of the feature is checked at each delivery only.
    if (endpointId === organizationId) continue;
    const allowPrivate = targetsOfFamily(webhookPrivateTargets, familyId);
    const refusal = refusalOf(url, { allowPrivate, isHttpsRequired: true });
    if (refusal !== null) {
      const field = "parameters.url";
      throw invalid(
        field,
        `\`${field}\` is not accepted as the URL of a webhook: ${refusal}${unlessListed(url)}`,
      );
    }
  }
  if (resent === null) return;
  const delivery = await findDelivery(db, organizationId, resent);
  if (!delivery) throw notFound("parameters.deliveryId", "webhook delivery", resent);
  if (delivery.state !== "waiting" || delivery.isHeld) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "ALREADY_EXISTS",
    `the delivery \`${resent}\` still waits and is sent without being asked for again`,
    { field: "parameters.deliveryId" },
  );
}
