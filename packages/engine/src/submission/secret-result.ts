import type { Core } from "../core/core.ts";
import { recordRefused } from "../errors.ts";
import type { ActivityRecord } from "../records/activity.ts";
import { recordDigest } from "../records/record.ts";
import type { Written } from "../records/write.ts";
import { type SealedOwner, seal, unseal } from "../vault/seal.ts";
import { decodeSecret, encodeSecret } from "../vault/secrets.ts";

/** The activity with its result sealed, until the document of the same proposal is confirmed. */
export function sealResult(
  { keyring, random }: Core,
  organizationId: string,
  activity: ActivityRecord,
  document: Written | undefined,
): ActivityRecord {
  if (document?.type !== "organization" || document.organizationId !== organizationId) {
    throw new Error("a secret result without the document that releases it");
  }
  const text = encodeSecret(JSON.stringify(activity.result));
  const sealed = seal(keyring, ownerOf(organizationId, activity), text, random);
  const documentDigest = recordDigest(document.bytes);
  return { ...activity, result: null, sealedResult: { documentDigest, sealed } };
}

/** `confirmed` are the digests of documents from which the signer's mark follows. */
export function openResult(
  { keyring }: Core,
  organizationId: string,
  activity: ActivityRecord,
  confirmed: ReadonlySet<string>,
): Record<string, unknown> {
  const { sealedResult } = activity;
  if (!sealedResult) throw recordRefused("an activity without a sealed result");
  if (!confirmed.has(sealedResult.documentDigest)) {
    throw recordRefused("the activity's proposal was not confirmed, so its result stays sealed");
  }
  const text = unseal(keyring, ownerOf(organizationId, activity), sealedResult.sealed);
  try {
    // `sealResult` wrote it.
    return JSON.parse(decodeSecret(text)) as Record<string, unknown>;
  } finally {
    text.fill(0);
  }
}

function ownerOf(organizationId: string, { activityId }: ActivityRecord): SealedOwner {
  return { organizationId, id: activityId, part: "result" };
}
