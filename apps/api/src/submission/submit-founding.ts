import type { Proposal } from "@keyhearth/engine/core/protocol";
import { ApiError, FOUNDED, fromErrorMessage, invalid } from "@keyhearth/engine/errors";
import { type ActivityRecord, activity as activityKind } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { readRecord } from "@keyhearth/engine/records/record";
import { activityRemoved } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { placeOfSignup } from "../host/signup.ts";
import {
  findDocument,
  findRootOrganizationId,
  type StoredDocument,
} from "../store/organizations.ts";
import { findRemovedId } from "../store/removed-activities.ts";
import type { Answered } from "../wire/answered.ts";
import { commitFounding } from "./commit-founding.ts";
import { findExisting, lastVoter } from "./existing-activity.ts";
import type { Hint } from "./hint.ts";
import { showActivity } from "./show.ts";

/** All signups together have the places, and the turns at the signer, of one organization. */
const SIGNUPS = "signups";

/**
 * Creates a top-level organization for a stranger. The answer waits for the commit however long it
 * takes: until then there is no organization in which a client could poll. The same bytes sent again
 * get the same activity.
 */
export async function submitFounding(host: Host, hint: Hint): Promise<Answered> {
  const rootId = await findRootOrganizationId(host.store.db);
  if (hint.organizationId !== rootId) {
    throw invalid(
      "organizationId",
      `\`organizationId\` must be the \`rootOrganizationId\` of /.well-known/keyhearth.json${rootId ? `, ${rootId}` : ""}`,
      "ORGANIZATION_MISMATCH",
    );
  }
  if ("error" in hint.stampedBy) throw hint.stampedBy.error;
  const { signup } = hint.request;
  if (!signup) throw new Error("a founding that nobody signs up for");
  // Before it takes a place, so that what is refused takes none.
  return signup.admit((charge, isAlone) =>
    host.concurrency.submissions.run(
      SIGNUPS,
      async () => isAlone,
      () => askForFounding(host, hint, { charge, address: signup.address }),
      tooManySignups,
    ),
  );
}

/** What the signer refuses is charged to nobody. So when there is a crowd, each address has one place. */
function tooManySignups(): ApiError {
  return new ApiError(
    "RESOURCE_EXHAUSTED",
    "RATE_LIMITED",
    "many organizations are being created, and your address is creating another one; wait for its answer and send the rest again",
  );
}

async function askForFounding(
  host: Host,
  { request, fingerprint }: Hint,
  { charge, address }: { charge: () => void; address: string },
): Promise<Answered> {
  const { endpoint, body } = request;
  const { header: stamp } = request.stamp;
  const answer = await host.askSigner(
    { call: "submit", endpoint, body, stamp, records: [], attachments: [] },
    SIGNUPS,
  );
  if (answer.kind === "error") {
    return showFounded(host, fingerprint, fromErrorMessage(answer.error));
  }
  if (answer.kind !== "proposal") throw new Error(`unexpected answer: ${answer.kind}`);
  charge();
  const stored = await commitFounding(host, answer, { signup: placeOfSignup(address) });
  if (!stored) return showExisting(host, answer.organizationId, fingerprint);
  return show(host, host.cache.keepDocument(stored), activityOf(answer));
}

function activityOf({ attachments: [record] }: Proposal): ActivityRecord {
  if (!record) throw new Error("a proposal without its activity");
  return upcast(activityKind, readRecord(record));
}

/** If the same bytes have founded an organization before, the signer's error names it. */
async function showFounded(host: Host, fingerprint: string, error: ApiError): Promise<Answered> {
  const detail = error.details.find((each) => each["@type"] === FOUNDED);
  if (!detail) throw error;
  return showExisting(host, String(detail.organizationId), fingerprint, error);
}

async function showExisting(
  host: Host,
  organizationId: string,
  fingerprint: string,
  error?: ApiError,
): Promise<Answered> {
  const stored = await findDocument(host.store.db, organizationId);
  const isThere = stored && stored.document.deletedAtMs === null;
  const existing = isThere ? await findExisting(host, organizationId, fingerprint) : null;
  if (isThere && existing) return show(host, stored, existing.activity);
  const removed = isThere && (await findRemovedId(host.store.db, organizationId, fingerprint));
  if (removed) throw activityRemoved("timestampMs", removed);
  // The organization was deleted since.
  throw error ?? new Error("the founding of an organization was not committed");
}

function show(host: Host, stored: StoredDocument, activity: ActivityRecord) {
  return showActivity(host, { activity, stored, viewer: lastVoter(activity, stored, null) });
}
