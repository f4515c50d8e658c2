import { readVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { maySend } from "../declare/define.ts";
import { ApiError } from "../errors.ts";
import type { Attestations } from "../people/attested-stamps.ts";
import {
  authenticate,
  findLongLived,
  isPasskeyStamp,
  onlyRecovers,
  type Stamp,
  verifierOf,
} from "../people/authenticate.ts";
import { originsOf } from "../people/passkey-origins.ts";
import { isOfType } from "../records/kinds.ts";
import { isRecoveryKey, type Sessions } from "../records/sessions.ts";
import { identifyNewcomer } from "./newcomer.ts";
import { originsFor, type Submission, type Unsent } from "./submission.ts";

/**
 * The request as that of each of its senders, in the order in which they are asked whether they may send it. A
 * user of the organization comes last, and is the one who votes.
 */
export type Senders = [Submission, ...Submission[]];

/** Authenticates the stamp. Nobody but those whom the declaration names has sent the request. */
export function sendersOf(request: Unsent, stamp: Stamp): Senders {
  const isBy = verifierOf(stamp, request.bodyBytes);
  const newcomer = identifyNewcomer(request, stamp, isBy);
  if (newcomer) return [{ ...request, who: newcomer, decider: request.organization }];
  const asked = candidatesOf(request, stamp).map((candidate) =>
    identified(request, { ...candidate, isBy }),
  );
  const [first, ...others] = asked.flatMap((each) => (each instanceof ApiError ? [] : [each]));
  if (!first) throw asked.at(-1) ?? new Error("an activity that nobody may send");
  for (const sender of [first, ...others]) assertMayStamp(sender);
  return [first, ...others];
}

/** The users of one organization, of whom one may have made the stamp. */
type Candidate = Omit<Asked, "body" | "isBy" | "named" | "stampKeys" | "nowMs">;
type Asked = Parameters<typeof authenticate>[0];

/**
 * Users of the organization or, if they may send the request, of its parent, whose credentials do not expire.
 * Both may have the credential: anyone can register a public key that somebody else holds. Then the request is of
 * both.
 */
function candidatesOf(request: Unsent, stamp: Stamp): Candidate[] {
  const { declaration, organization, parent, records } = request;
  const sessions = records.bound.filter(isOfType("sessions")).map((record) => record.body);
  const own = (): Candidate => {
    const origins = () => originsFor(request);
    return { stamp, organization, sessions, origins, attestations: attestationsOf(request) };
  };
  const isForUsers = maySend("user", declaration) || maySend("any user", declaration);
  if (!isForUsers) return [];
  const isParents = parent && maySend("parent's user", declaration) && findLongLived(parent, stamp);
  if (!isParents) return [own()];
  const origins = () => originsOf(parent.document, null);
  const parents = { stamp, organization: parent, sessions: [], origins };
  const isOwn = findLongLived(organization, stamp) || isSession(sessions, stamp);
  return isOwn ? [parents, own()] : [parents];
}

/** The request as that of the candidate, or why it is not: the session may have expired, for example. */
function identified(
  request: Unsent,
  candidate: Candidate & Pick<Asked, "isBy">,
): Submission | ApiError {
  const { core, envelope, bodyBytes: body, nowMs } = request;
  const { stampKeys } = core;
  const named = envelope.organizationId;
  const who = authenticate({ ...candidate, body, named, stampKeys, nowMs });
  return who instanceof ApiError ? who : { ...request, who, decider: candidate.organization };
}

/** The key of a recovery mail recovers its own user, and stamps nothing else: no request, vote or query. */
function assertMayStamp({ declaration, intent, document, who }: Submission) {
  if (!isRecoveryKey(who.credential)) return;
  const isTaken = maySend("recovery key", declaration);
  if (!isTaken || !declaration.isOwn?.(intent, who.user, document)) throw onlyRecovers();
}

/** What the tokens of attested stamps are verified with. */
function attestationsOf(request: Unsent): Attestations {
  const { core, envelope, document, parent, registrations, nowMs } = request;
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
