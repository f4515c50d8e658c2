// Faults that the model must find. Each takes one rule out of the core.

export type Mutant = {
  name: string;
  file: string;
  /** Must be in the file exactly once. */
  text: string;
  replacement: string;
};

const engine = (path: string) => `packages/engine/src/${path}`;

export const mutants: readonly Mutant[] = [
  {
    name: "the same bytes of another user approve what depends on its sender",
    file: engine("submission/vote.ts"),
    text: "if (!declaration.vote) assertSameSender(target, activity, submission.who.user.userId);",
    replacement: "",
  },
  {
    name: "votes count on what the document does not list",
    file: engine("submission/waiting-list.ts"),
    text: "if (line && line.state === activity.waitingState) return;",
    replacement: "if (!line || line.state === activity.waitingState) return;",
  },
  {
    name: "votes count that were not committed",
    file: engine("submission/waiting-list.ts"),
    text: "if (line && line.state === activity.waitingState) return;",
    replacement: "if (line) return;",
  },
  {
    name: "bytes that wait can start again",
    file: engine("submission/start.ts"),
    text: 'if (findListed(document, fingerprint)) return { kind: "waits" };',
    replacement: "",
  },
  {
    name: "a request that changed the document is not remembered",
    file: engine("submission/closed-activities.ts"),
    text: "  if (!refusal) remember(draft, change, nowMs);",
    replacement: "  if (!refusal) return;",
  },
  {
    name: "a request is remembered for half an hour",
    file: engine("submission/closed-activities.ts"),
    text: "const untilMs = Math.max(timestampMs, nowMs) + MAX_AGE_MS;",
    replacement: "const untilMs = nowMs + MAX_AGE_MS / 2;",
  },
  {
    name: "rejected bytes are not remembered",
    file: engine("submission/vote.ts"),
    text: "endWaiting(draft, activity, { timestampMs, isClosed: true, nowMs });",
    replacement: "endWaiting(draft, activity, { timestampMs, isClosed: false, nowMs });",
  },
  {
    name: "a request that votes completed is not remembered",
    file: engine("submission/vote.ts"),
    text: "endWaiting(executed.draft, activity, { timestampMs, isClosed, nowMs });",
    replacement: "endWaiting(executed.draft, activity, { timestampMs, isClosed: false, nowMs });",
  },
  {
    name: "a request that votes completed stays listed",
    file: engine("submission/waiting-list.ts"),
    text: "draft.waiting = draft.waiting.filter((line) => line.fingerprint !== fingerprint);",
    replacement: "",
  },
  {
    name: "what a deleted user started can be sent by another one",
    file: engine("submission/waiting-list.ts"),
    text: "    closeEnded(draft, { fingerprint, timestampMs: nowMs + MAX_AHEAD_MS, userId }, nowMs);\n",
    replacement: "    void [fingerprint, userId, closeEnded, MAX_AHEAD_MS, nowMs];\n",
  },
  {
    name: "what a deleted user started still waits",
    file: engine("submission/propose.ts"),
    text: "    dropLapsed(draft, nowMs);\n",
    replacement: "",
  },
  {
    name: "approvals of an hour count after a day",
    file: engine("policies/approvals.ts"),
    text: "  if (hasLapsed(activity, nowMs)) return [];\n",
    replacement: "",
  },
  {
    name: "the same bytes always count",
    file: engine("submission/vote.ts"),
    text: "  if (!declaration.vote) assertInFirstWindow(waiting, nowMs);\n",
    replacement: "",
  },
  {
    name: "approvals by deleted credentials count",
    file: engine("policies/approvals.ts"),
    text: "|| !holdsCredential(user, vote)) continue;",
    replacement: ") continue;",
  },
  {
    name: "old requests can be sent",
    file: engine("submission/start.ts"),
    text: "  assertLive(envelope, submission.core, nowMs);\n",
    replacement: "",
  },
  {
    name: "old votes can be sent",
    file: engine("submission/vote.ts"),
    text: "  if (declaration.vote) assertLive(envelope, submission.core, nowMs);\n",
    replacement: "",
  },
  {
    name: "anybody may vote",
    file: engine("submission/vote.ts"),
    text: "  assertEligible(submission, question, selection);\n",
    replacement: "",
  },
  {
    name: "a DENY does not win",
    file: "packages/policy/src/decide.ts",
    text: '  if (has("OUTCOME_DENY_EXPLICIT")) {',
    replacement: '  if (has("OUTCOME_DENY_EXPLICIT") && !has("OUTCOME_ALLOW")) {',
  },
  {
    name: "the time of a policy does not matter",
    file: "packages/policy/src/decide.ts",
    text: 'if (!values.time) return "OUTCOME_TIME_INACTIVE";',
    replacement: "",
  },
  {
    name: "logins from before a log-out work",
    file: engine("people/sessions.ts"),
    text: "  if (requestedAtMs > sessionEpochStartedAtMs) return;",
    replacement: "  if (requestedAtMs > 0) return;",
  },
  {
    name: "an era of sessions begins earlier than the one before",
    file: engine("records/sessions.ts"),
    text: "Math.max(nowMs, requestedAtMs, user.sessionEpochStartedAtMs)",
    replacement: "Math.max(nowMs, requestedAtMs)",
  },
  {
    name: "a log-out ends no sessions",
    file: engine("records/sessions.ts"),
    text: "  user.sessionEpoch = newSessionEpoch(random);\n  user.sessionEpochStartedAtMs",
    replacement: "  void random;\n  user.sessionEpochStartedAtMs",
  },
  {
    name: "expiring keys need no document that registers them",
    file: engine("activities/create-api-keys.ts"),
    text: "const sessionEpoch = lifetimes.length > 0 ? addKeyEpoch(user, { random, nowMs, untilMs }) : 0;",
    replacement: "const sessionEpoch = user.sessionEpoch;",
  },
  {
    name: "a login that votes decided needs no document",
    file: engine("people/sessions.ts"),
    text: "if (!invalidateExisting && !isRegistered && !context.isVoted) {",
    replacement: "if (!invalidateExisting && !isRegistered) {",
  },
  {
    name: "sessions do not expire",
    file: engine("records/sessions.ts"),
    text: "&& expiresAtMs(entry) > nowMs;",
    replacement: "&& expiresAtMs(entry) > 0;",
  },
  {
    name: "a deleted account comes back by its earlier record",
    file: engine("records/wallet-account.ts"),
    text: "if (line === undefined || isDeleted(line, body)) return false;",
    replacement: "if (line === undefined) return false;",
  },
  {
    name: "an account of votes that were never committed signs",
    file: engine("records/wallet-account.ts"),
    text: "return isCommitted(line, body) && !countsByVotesAlone",
    replacement: "return !countsByVotesAlone",
  },
  {
    name: "an account that was made at once signs after votes rejected it",
    file: engine("records/wallet-account.ts"),
    text: " && !countsByVotesAlone(document, body.request);",
    replacement: ";",
  },
  {
    name: "a session that was started at once counts after votes rejected it",
    file: engine("people/authenticate.ts"),
    text: "!isCommitted(document, user, session)",
    replacement: "!isCommitted({}, user, session)",
  },
  {
    name: "a code that was sent at once counts after votes rejected it",
    file: engine("records/otp.ts"),
    text: "if (votedAs === undefined) return !countsByVotesAlone(document, request);",
    replacement: "if (votedAs === undefined) return request !== countsByVotesAlone.name;",
  },
  {
    name: "a verification token that was made at once counts after votes rejected it",
    file: engine("people/verification-tokens.ts"),
    text: "if (organizationId === own && countsByVotesAlone(document, nameOf(claims.id))) {",
    replacement: "if (organizationId === own && countsByVotesAlone({}, nameOf(claims.id))) {",
  },
  {
    name: "a sub-organization that was made at once begins after votes rejected it",
    file: engine("submission/propose.ts"),
    text: "foundedIn(written) ?? unfoundedBy(core, outcome);",
    replacement: "foundedIn(written);",
  },
  {
    name: "a sub-organization of votes that were never committed begins",
    file: engine("door/confirm.ts"),
    text: "  for (const document of newest) assertMayBegin(core, document, founded);\n",
    replacement: "",
  },
  {
    name: "a deleted account comes back by a record that was made by the document before",
    file: engine("records/wallet-account.ts"),
    text: "(account.documentVersion < deleted.documentVersion || account.createdAtMs <= deleted.atMs)",
    replacement: "account.createdAtMs <= deleted.atMs",
  },
  {
    name: "a deleted account comes back by bytes for a hidden record, stamped by a clock that was ahead",
    file: engine("activities/delete-wallet-accounts.ts"),
    text: "Math.max(atMs, record.createdAtMs) + MAX_AHEAD_MS",
    replacement: "Math.max(atMs, record.requestedAtMs)",
  },
  {
    name: "two users register one public key",
    file: engine("people/api-keys.ts"),
    text: "  if (taken.has(publicKey)) {",
    replacement: "  if (taken.size < 0) {",
  },
  {
    name: "exports are shown before their commit",
    file: engine("submission/finish.ts"),
    text: '    const isSecret = secret === "always" || (secret === "if voted" && isVoted);',
    replacement: '    const isSecret = secret === "if voted" && isVoted;',
  },
  {
    name: "tokens that votes decided are shown before their commit",
    file: engine("submission/finish.ts"),
    text: '    const isSecret = secret === "always" || (secret === "if voted" && isVoted);',
    replacement: '    const isSecret = secret === "always";',
  },
  {
    name: "a code that votes decided counts without its commit",
    file: engine("records/otp.ts"),
    text: "return (document.votedCodes ?? []).some(({ value }) => value === votedAs);",
    replacement: "return (document.votedCodes ?? []).length >= 0;",
  },
  {
    name: "a code gets younger if its request is decided again",
    file: engine("people/waiting-codes.ts"),
    text: "if (opened) return opened.times;",
    replacement: "if (opened) return { ...opened.times, sentAtMs: nowMs };",
  },
  {
    name: "the result of any export is released by any confirmation",
    file: engine("submission/secret-result.ts"),
    text: "  if (!confirmed.has(sealedResult.documentDigest)) {",
    replacement: "  if (confirmed.size > 1e9) {",
  },
  {
    name: "a document can be older than the newest",
    file: "apps/signer/src/marks/marks.ts",
    text: "      return mark?.number === document.version;",
    replacement: "      return mark !== null;",
  },
  {
    name: "marks go back",
    file: "apps/signer/src/marks/marks.ts",
    text: "  if (!mark || version > mark.number) return;",
    replacement: "  if (mark || !mark) return;",
  },
  {
    name: "a sub-organization is made twice",
    file: engine("submission/propose.ts"),
    text: "if (documents.every(({ organizationId: id }) => id === ownId || !marks.knows(id))) return;",
    replacement: "if (documents.length > 0 || marks) return;",
  },
  {
    name: "the users of a deleted organization stay",
    file: engine("people/organization-deletion.ts"),
    text: "      users: [],\n",
    replacement: "      users: context.document.users,\n",
  },
  {
    name: "a code works twice",
    file: engine("people/waiting-codes.ts"),
    text: "return used.fingerprint === fingerprint",
    replacement: "return used.fingerprint !== ''",
  },
  {
    name: "a code can be tried thirty times",
    file: engine("people/waiting-codes.ts"),
    text: "export const MAX_WRONG = 3;",
    replacement: "export const MAX_WRONG = 30;",
  },
  {
    name: "a log-out does not end the codes that were sent before",
    file: engine("activities/verify-otp.ts"),
    text: "context.tokens.create(otp.createdAtMs, {",
    replacement: "context.tokens.create(verifiedAtMs, {",
  },
  {
    name: "a code is sent again for the same bytes",
    file: engine("people/otps.ts"),
    text: "if (isVoted || nowMs - requestedAtMs < MAX_ASKED_MS) return;",
    replacement: "if (isVoted || requestedAtMs > 0) return;",
  },
  {
    name: "the codes of a contact can be tried without end",
    file: engine("people/waiting-codes.ts"),
    text: "const MAX_WRONG_OF_CONTACT = 15;",
    replacement: "const MAX_WRONG_OF_CONTACT = 1500;",
  },
  {
    name: "a verification token is used without the key that it names",
    file: engine("people/client-signatures.ts"),
    text: "  if (signature.publicKey.toLowerCase() !== publicKey) {",
    replacement: "  if (signature.publicKey === '') {",
  },
  {
    name: "the signature for a verification token fits any login",
    file: engine("people/client-signatures.ts"),
    text: "  if (!isSame(parse(signature.message), { ...usage, tokenId })) {",
    replacement: "  if (signature.message === '') {",
  },
  {
    name: "a verification token from before a log-out logs in",
    file: engine("people/verification-tokens.ts"),
    text: "Math.max(sessionEpochStartedAtMs, lostAtMs);",
    replacement: "lostAtMs;",
  },
  {
    name: "a verification token logs in as the next user of the contact",
    file: engine("people/verification-tokens.ts"),
    text: "Math.max(sessionEpochStartedAtMs, lostAtMs);",
    replacement: "sessionEpochStartedAtMs;",
  },
  {
    name: "verification tokens do not expire",
    file: engine("people/verification-tokens.ts"),
    text: "  if (expiresAtMs <= nowMs) {",
    replacement: "  if (expiresAtMs <= 0) {",
  },
  {
    name: "a contact that somebody only stated means a user who has not proved it",
    file: engine("records/contacts.ts"),
    text: "  return verified.length > 0 ? verified : all;",
    replacement: "  return all;",
  },
  {
    name: "a token verifies a contact without the key that it names",
    file: engine("people/proven-facts.ts"),
    text: "return code.publicKey === publicKey ? proven(contactOf(code)) : null;",
    replacement: "return publicKey ? proven(contactOf(code)) : null;",
  },
  {
    name: "another passkey accepts an invitation with a copied proof",
    file: engine("people/invitations.ts"),
    text: "  if (equalBytes(encodeUtf8(expected), encodeUtf8(tokenProof))) return;",
    replacement: "  if (expected.length === tokenProof.length) return;",
  },
  {
    name: "an invitation of a deleted user can be accepted",
    file: engine("activities/delete-users.ts"),
    text: "({ senderUserId, creatorUserId }) => isKept(senderUserId) && isKept(creatorUserId),",
    replacement: "({ senderUserId }) => senderUserId !== '',",
  },
  {
    name: "an invitation works twice",
    file: engine("activities/accept-invitation.ts"),
    text: "draft.invitations.filter((line) => line.invitationId !== invitationId);",
    replacement: "draft.invitations.filter((line) => line.invitationId !== '');",
  },
  {
    name: "the token of an invitation that was not committed accepts the one that was",
    file: engine("vault/ids.ts"),
    text: "|$" + "{salt}`;",
    replacement: "|`;",
  },
];

export function mutantNamed(name: string): Mutant {
  const found = mutants.find((each) => each.name === name);
  if (!found) throw new Error(`no mutant \`${name}\``);
  return found;
}
