import { readVerificationToken } from "@keyhearth/crypto/verification-token";
import { ApiError } from "../errors.ts";
import type { Attestations } from "../people/attested-stamps.ts";
import {
  authenticate,
  findLongLived,
  isPasskeyStamp,
  parseStamp,
  type Stamp,
  type StampHeader,
} from "../people/authenticate.ts";
import { originsOf } from "../people/passkey-origins.ts";
import { isOfType } from "../records/kinds.ts";
import type { Sessions } from "../records/sessions.ts";
import { originsFor, type Submission } from "./submission.ts";

/** The request as somebody's. If users of the organization and of its parent sent it, it has both forms. */
export type Senders = [Submission, parents?: Submission];

/**
 * Authenticates the stamp: by a user of the organization or, if the parent may send the request, by one of the
 * parent, whose credential does not expire. Both may have the credential, so the request is of both.
 */
export function sendersOf(
  request: Omit<Submission, "who" | "decider">,
  header: StampHeader | null,
): Senders {
  const { core, declaration, organization, parent, records, bodyBytes, nowMs } = request;
  const stamp = parseStamp(header, declaration.takesAttestedStamp);
  const stamped = { stamp, body: bodyBytes, stampKeys: core.stampKeys, nowMs };
  const sessions = records.bound.filter(isOfType("sessions")).map((record) => record.body);
  const own = (): Submission => {
    const origins = () => originsFor(request);
    const attestations = attestationsOf(request);
    const who = authenticate({ ...stamped, organization, sessions, origins, attestations });
    return { ...request, who, decider: organization };
  };
  if (!declaration.parentMaySubmit || !parent || !findLongLived(parent, stamp)) return [own()];
  const parents = (): Submission => {
    const origins = () => originsOf(parent.document, null);
    const who = authenticate({ ...stamped, organization: parent, sessions: [], origins });
    return { ...request, who, decider: parent };
  };
  const isOwn = findLongLived(organization, stamp) || isSession(sessions, stamp);
  return isOwn ? eachOf(own, parents) : [parents()];
}

/** What the tokens of attested stamps are verified with. */
function attestationsOf({
  core,
  envelope,
  document,
  parent,
  registrations,
  nowMs,
}: Omit<Submission, "who" | "decider">): Attestations {
  const namesParent = envelope.organizationId !== document.organizationId;
  const readToken = (token: string) => readVerificationToken(token, core.verificationKey);
  return { document, parent, registrations, namesParent, nowMs, readToken };
}

function isSession(sessions: Sessions[], stamp: Stamp): boolean {
  if (isPasskeyStamp(stamp)) return false;
  return sessions.some(({ entries }) =>
    entries.some(({ credential }) => credential.publicKey === stamp.publicKey),
  );
}

/** The senders who authenticate: the session of the one may have expired, for example. */
function eachOf(...senders: (() => Submission)[]): Senders {
  const errors: unknown[] = [];
  const found = senders.flatMap((sender) => {
    try {
      return [sender()];
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "UNAUTHENTICATED") throw error;
      errors.push(error);
      return [];
    }
  });
  const [first, second] = found;
  if (!first) throw errors[0];
  return second ? [first, second] : [first];
}
