// The few policies that plans make, with their own reading: what they say as text, and what they mean.

export type Policy = {
  name: string;
  effect: "ALLOW" | "DENY";
  /** Null for every kind of request. */
  about: Subject | null;
  /** The users who must all have approved, or how many users. Null if nobody has to. */
  consensus: { users: string[] } | { count: number } | null;
  time: { fromMs?: number; untilMs?: number } | null;
};

export type Subject = { resource: string; action: string };

/** The clauses in the language of policies. */
export function clausesOf({ about, consensus, time }: Policy) {
  const instant = (ms: number) => `Timestamp('${new Date(ms).toISOString()}')`;
  const times = [
    ...(time?.fromMs === undefined ? [] : [`time.now >= ${instant(time.fromMs)}`]),
    ...(time?.untilMs === undefined ? [] : [`time.now < ${instant(time.untilMs)}`]),
  ];
  return {
    condition:
      about && `activity.resource == '${about.resource}' && activity.action == '${about.action}'`,
    consensus:
      consensus &&
      ("count" in consensus
        ? `approvers.count() >= ${consensus.count}`
        : consensus.users.map((id) => `approvers.any(user, user.id == '${id}')`).join(" && ")),
    time: times.length > 0 ? times.join(" && ") : null,
  };
}

/** What is asked: by whom, approved by whom (the submitter first), and when. */
export type Question = {
  policies: Iterable<Policy>;
  quorum: { threshold: number; userIds: readonly string[] };
  /** Ids of all users of the organization. */
  users: readonly string[];
  approvers: readonly string[];
  subject: Subject;
  isRootOnly: boolean;
  /** The submitter may do this without permission. */
  isOwn: boolean;
  nowMs: number;
};

/**
 * The root quorum first; then a DENY wins over an ALLOW; then people's own affairs. Something waits if root
 * users or an ALLOW can still allow it. Everything else is denied.
 */
export function decide(question: Question): "allow" | "wait" | "deny" {
  const { quorum, approvers, isRootOnly, isOwn } = question;
  const [submitter = ""] = approvers;
  const roots = approvers.filter((id) => quorum.userIds.includes(id));
  if (roots.length >= quorum.threshold) return "allow";
  const otherwise = quorum.userIds.includes(submitter) ? "wait" : "deny";
  if (isRootOnly) return otherwise;
  const active = [...question.policies].filter((policy) => isAbout(policy, question));
  const isAgreed = ({ consensus }: Policy) => agrees(consensus, approvers);
  if (active.some((policy) => policy.effect === "DENY" && isAgreed(policy))) return otherwise;
  const allowing = active.filter(({ effect }) => effect === "ALLOW");
  if (allowing.some(isAgreed)) return "allow";
  if (allowing.some(({ consensus }) => waitsFor(consensus, submitter, question))) return "wait";
  return isOwn ? "allow" : otherwise;
}

/** Whether the user's vote can matter. */
export function mayVote(question: Question, userId: string): boolean {
  if (!question.users.includes(userId)) return false;
  if (question.quorum.userIds.includes(userId)) return true;
  if (question.isRootOnly) return false;
  return [...question.policies].some(
    (policy) =>
      policy.effect === "ALLOW" &&
      isAbout(policy, question) &&
      waitsFor(policy.consensus, userId, question),
  );
}

function isAbout({ about, time }: Policy, { subject, nowMs }: Question): boolean {
  const isSubject =
    !about || (about.resource === subject.resource && about.action === subject.action);
  return isSubject && nowMs >= (time?.fromMs ?? 0) && nowMs < (time?.untilMs ?? Infinity);
}

function agrees(consensus: Policy["consensus"], approvers: readonly string[]): boolean {
  if (!consensus) return true;
  if ("count" in consensus) return approvers.length >= consensus.count;
  return consensus.users.every((id) => approvers.includes(id));
}

function waitsFor(consensus: Policy["consensus"], userId: string, { users }: Question): boolean {
  if (!consensus) return false;
  if ("count" in consensus) return users.length >= consensus.count;
  return consensus.users.includes(userId) && consensus.users.every((id) => users.includes(id));
}
