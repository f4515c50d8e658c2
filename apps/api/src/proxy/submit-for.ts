import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { ApiError } from "@keyhearth/engine/errors";
import { readStamp, stampOver } from "../callers/stamp.ts";
import { TryLater } from "../errors.ts";
import { turnOfProxy } from "../fairness/proxy-turn.ts";
import type { Host } from "../host/host.ts";
import { submit } from "../submission/submit.ts";
import { shownIn } from "../wire/answered.ts";
import type { Configuration } from "./configuration.ts";
import type { ProxyKeys } from "./key.ts";
import { Undecided } from "./undecided.ts";

type Submission = {
  endpoint: string;
  type: string;
  /** The parent, or the sub-organization that somebody logs in to. */
  organizationId: string;
  parameters: Record<string, unknown>;
  resultKey: string;
  /** Whether the answer has the signer's statements about the outcome and the new wallet's addresses. */
  proves?: true;
};

export type Submitted = {
  result: Record<string, unknown>;
  appProofs: unknown[];
  activityId: string;
  /** The exact bytes that were stamped, as text. */
  request: string;
};

export type SubmitFor = (
  configuration: Configuration,
  submission: Submission,
) => Promise<Submitted>;

/** Submits as any client would: the proxy's key stamps the bytes, and the core decides about them. */
export function createSubmitFor(host: Host, keys: ProxyKeys): SubmitFor {
  return async (configuration, { endpoint, resultKey, proves, ...submission }) => {
    const timestampMs = String(host.now());
    const envelope = { ...submission, timestampMs, ...(proves && { generateAppProofs: true }) };
    const request = JSON.stringify(envelope);
    const body = encodeUtf8(request);
    const header = { name: "X-Stamp", value: keys.stamp(configuration.organizationId, body) };
    const stamp = stampOver(body, readStamp(header));
    const turnFor = (id: string) => turnOfProxy(configuration.organizationId, id);
    const answered = await submit(host, { endpoint, body, stamp, turnFor }).catch(
      (error: unknown) => {
        throw asOfCall(error);
      },
    );
    const { id: activityId, status, result, failure, appProofs = [] } = shownIn(answered);
    if (status === "ACTIVITY_STATUS_COMPLETED") {
      const found = (result as Record<string, unknown>)[resultKey];
      return { result: found as Record<string, unknown>, appProofs, activityId, request };
    }
    if (status === "ACTIVITY_STATUS_FAILED") {
      const message = failure?.message ?? "the request failed";
      throw asOfCall(new ApiError("INVALID_ARGUMENT", "FIELD_INVALID", message));
    }
    if (status === "ACTIVITY_STATUS_CONSENSUS_NEEDED") throw notAllowed(Undecided);
    const message = "the answer takes longer than usual; try again in a few seconds";
    throw new TryLater("UNAVAILABLE", "CONFLICT", message, 2);
  };
}

/** The reasons for which the organization does not know the proxy's user, or does not let it. */
const OF_PROXY = [
  "POLICY_DENIED",
  "CREDENTIAL_NOT_FOUND",
  "CREDENTIAL_EXPIRED",
  "STAMP_INVALID",
  "REQUEST_NOT_AUTHORIZED",
];

function notAllowed(Kind: typeof ApiError = ApiError): ApiError {
  return new Kind(
    "PERMISSION_DENIED",
    "POLICY_DENIED",
    "the organization does not let its login proxy do this: its root quorum sets FEATURE_NAME_AUTH_PROXY again, or changes the policy that stops it",
  );
}

/** Names the fields of the call, not those of the submission. */
function asOfCall(error: unknown): unknown {
  if (!(error instanceof ApiError) || error instanceof TryLater) return error;
  if (OF_PROXY.includes(error.reason)) return notAllowed();
  const { code, reason, message, field, details, cause } = error;
  const options = { details: details.map(renamed), cause };
  return new ApiError(code, reason, rename(message), {
    ...options,
    ...(field !== undefined && { field: rename(field) }),
  });
}

function renamed(detail: ApiError["details"][number]) {
  return JSON.parse(rename(JSON.stringify(detail))) as typeof detail;
}

function rename(text: string): string {
  return text
    .replaceAll("parameters.rootUsers[0].", "")
    .replaceAll("parameters.subOrganizationName", "organizationName")
    .replaceAll("parameters.oauth2CredentialId", "clientId")
    .replaceAll("parameters.", "");
}
