import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint as fingerprintOf } from "@keyhearth/crypto/stamps/fingerprint";
import type { Answer } from "@keyhearth/engine/core/protocol";
import type { StoredRecord } from "./host.ts";
import { countGuess, type Facts, type Mail } from "./kinds.ts";
import type { Delivery, Step, Wish } from "./plan.ts";
import { WrongCode } from "./promise.ts";
import type { Args } from "./state.ts";
import { wantedFor } from "./wanted.ts";
import { assertServed, type Expected, expect, judge, targetOf } from "./watch.ts";
import { bodyOf, stampOf } from "./wire.ts";
import { Fault, type Proposed, type SentRequest, type World } from "./world.ts";

/** Does what the step says. Returns what came of it. Throws a Fault if that must not happen. */
export function perform(world: World, step: Step): string {
  world.nowMs += 7;
  switch (step.does) {
    case "wait":
      world.nowMs += step.ms;
      return "";
    case "restart":
      world.restart();
      return "";
    case "ask": {
      const request = write(world, step);
      if (!request) return "skipped: it is about something that does not exist";
      world.requests.set(step.id, request);
      const { fingerprint } = request.ask;
      if (!world.firstSteps.has(fingerprint)) world.firstSteps.set(fingerprint, step.id);
      return step.delivery ? deliver(world, step.id, request, step.by, step.delivery) : "";
    }
    case "send": {
      const request = world.requests.get(step.request);
      if (!request) return "skipped: there is no such request";
      return deliver(world, step.id, request, step.by, step.delivery);
    }
    case "confirm":
      return confirm(world, step);
  }
}

/** The request as bytes. Null if it names what no step has made. */
export function write(world: World, step: Extract<Step, { does: "ask" }>): SentRequest | null {
  const organization = world.organizations.get(step.organization);
  const args = argsOf(world, step.request);
  if (!organization || !args) return null;
  const { kind } = step.request;
  const timestampMs = world.nowMs + step.aheadMs;
  const body = bodyOf({ kind, args, timestampMs }, organization.id, (id) => addressOf(world, id));
  const fingerprint = fingerprintOf(encodeUtf8(body));
  const ask = { kind, args, timestampMs, fingerprint };
  return { ask, organization, endpoint: kind, body, by: step.by };
}

function argsOf(
  world: World,
  { thing, user, users, about, policy, name, token, code, letter, copied, ...rest }: Wish,
): Args | null {
  const { things, requests, facts, mails } = world;
  const known = (id: string) => things.get(id) ?? "";
  const userIds = users?.map(known);
  const consensus = policy?.consensus;
  const needed = consensus && "users" in consensus ? consensus.users.map(known) : [];
  const args: Args = {
    ...rest,
    ...(name !== undefined && { name }),
    ...(thing !== undefined && { id: known(thing) }),
    ...(user !== undefined && { userId: known(user) }),
    ...(userIds && { userIds }),
    ...(about !== undefined && { fingerprint: requests.get(about)?.ask.fingerprint ?? "" }),
    ...(token !== undefined && { token: known(`${token}.token`) }),
    ...(code !== undefined && { code: codeOf(facts, known(thing ?? ""), code) }),
    ...(letter !== undefined && lettered(mails.get(letter), rest.key)),
    ...(copied !== undefined && copiedFrom(requests.get(copied))),
    ...(policy && {
      policy: {
        ...policy,
        name: name ?? "",
        consensus: consensus && "users" in consensus ? { users: needed } : (consensus ?? null),
      },
    }),
  };
  const isComplete = ![
    args.id,
    args.userId,
    args.fingerprint,
    args.token,
    args.proof?.token,
    ...(userIds ?? []),
    ...needed,
  ].includes("");
  return isComplete ? args : null;
}

function codeOf({ codes }: Facts, otpId: string, typed: string): string {
  const right = codes.find((each) => each.otpId === otpId)?.code;
  return typed === "right" ? (right ?? "unknown") : typed;
}

/** What somebody makes of the mail of an invitation. */
function lettered(mail: Mail | undefined, key = ""): Args {
  return { userId: mail?.userId ?? "", proof: { token: mail?.token ?? "", key } };
}

/** What a host can copy from an acceptance: it proves that the maker of another passkey had the token. */
function copiedFrom(request: SentRequest | undefined): Args {
  const { id = "", userId = "", proof = { token: "", key: "" } } = request?.ask.args ?? {};
  return { id, userId, proof };
}

function addressOf({ host }: World, accountId: string): string | undefined {
  for (const { type, id, body } of host.records.values()) {
    if (type === "wallet-account" && id === accountId) return (body as { address: string }).address;
  }
  return undefined;
}

function deliver(
  world: World,
  step: string,
  request: SentRequest,
  by: string,
  delivery: Delivery,
): string {
  const wanted = wantedFor(world, request, by).map(({ label, record }) => {
    const instead = delivery.instead.find((each) => each.wanted === label);
    if (!instead) return record;
    return instead.brought === null ? undefined : world.host.records.get(instead.brought);
  });
  const more = delivery.more.map((name) => world.host.records.get(name));
  const brought = [...new Set([...wanted, ...more].flatMap((record) => record ?? []))];
  const answer = world.call({
    call: "submit",
    endpoint: request.endpoint,
    body: encodeUtf8(request.body),
    stamp: stampOf(by, request.body),
    records: brought.map(({ digest }) => digest),
    attachments: brought.map(({ bytes }) => bytes),
  });
  const expected = expect(world, request, by);
  // Whatever else the host brings can keep the core from looking at the code.
  const isOpen = delivery.instead.length === 0 && delivery.more.length === 0;
  if (isOpen) countGuesses(world, { request, brought, answer, expected });
  if (answer.kind !== "proposal") {
    if (world.plan.isHonest) assertServed(world, answer, expected);
    return answer.kind === "error" ? `refused: ${answer.error.message}` : answer.kind;
  }
  const proposed = judge(world, { step, request, by, answer, expected });
  if (delivery.commits) commit(world, proposed);
  return `${proposed.activity.status}${delivery.commits ? "" : ", not committed"}`;
}

/** Somebody who may try a code, or whom votes let, has tried it if the host brought its record. */
function countGuesses(
  world: World,
  {
    request,
    brought,
    answer,
    expected,
  }: { request: SentRequest; brought: StoredRecord[]; answer: Answer; expected: Expected },
) {
  const { ask } = targetOf(world, request) ?? request;
  if (
    ask.kind !== "verify_otp" ||
    !brought.some(({ type, id }) => type === "otp" && id === ask.args.id)
  )
    return;
  const isRefused =
    answer.kind === "error" && expected.by.some(({ outcomes }) => outcomes instanceof WrongCode);
  const hasFailed =
    answer.kind === "proposal" && answer.activity.status === "ACTIVITY_STATUS_FAILED";
  if (isRefused || hasFailed) countGuess(world.facts, ask, world.nowMs);
}

/** The host stores the proposal, and tells the core. */
function commit(world: World, proposed: Proposed) {
  if (proposed.ticket === null) {
    for (const record of proposed.records) world.host.commit(record);
    return;
  }
  const answer = world.call({ call: "confirm", ticket: proposed.ticket });
  if (answer.kind !== "confirmed") {
    throw new Fault(`what ${proposed.step} proposed cannot be confirmed at once`);
  }
  confirmed(world, [proposed]);
}

/** The documents of these proposals are current now, if they follow the ones before. */
function confirmed(world: World, proposals: Proposed[]) {
  for (const proposed of proposals) {
    for (const { type, organizationId, digest } of proposed.records) {
      if (type !== "organization") continue;
      const organization = [...world.organizations.values()].find(
        ({ id }) => id === organizationId,
      );
      const next = organization?.next.get(digest);
      if (!organization || !next) throw new Fault("a document that nobody proposed is confirmed");
      if (organization.before.has(digest)) continue;
      if ((organization.now?.digest ?? null) !== next.base) {
        throw new Fault(`the document of ${next.step} is confirmed, but follows another one`);
      }
      if (!organization.now && next.base === null) assertNotRejected(world, proposed);
      organization.now = { state: next.state, digest };
      organization.before.add(digest);
    }
    proposed.isConfirmed = true;
    for (const record of proposed.records) world.host.commit(record);
  }
}

function assertNotRejected(world: World, { step, request }: Proposed) {
  const fingerprint = targetOf(world, request)?.ask.fingerprint ?? "";
  if (request.organization.now?.state.over.get(fingerprint) !== "rejected") return;
  throw new Fault(`the sub-organization of ${step} begins, but votes have rejected it`);
}

function confirm(world: World, step: Extract<Step, { does: "confirm" }>): string {
  const proposals = step.proposals.flatMap((name) => world.proposals.get(name) ?? []);
  const [first] = proposals;
  if (!first) return "skipped: there is no such proposal";
  if (step.how === "sub-organization") return confirmSub(world, first);
  const secret = step.releases === undefined ? undefined : world.proposals.get(step.releases);
  const answer =
    step.how === "ticket"
      ? world.call({ call: "confirm", ticket: first.ticket ?? "" })
      : world.call({
          call: "confirm",
          attachments: [
            ...proposals.flatMap(({ records }) =>
              records.filter(({ type }) => type === "organization"),
            ),
            ...(secret?.records.slice(0, 1) ?? []),
          ].map(({ bytes }) => bytes),
        });
  if (answer.kind !== "confirmed") {
    return answer.kind === "error" ? `refused: ${answer.error.message}` : answer.kind;
  }
  confirmed(world, step.how === "ticket" ? [first] : inOrder(proposals));
  if (answer.result && !secret?.isConfirmed) {
    throw new Fault(`the secret result of ${step.releases} is released without its commit`);
  }
  return answer.result ? "confirmed, with a secret result" : "confirmed";
}

/** Without the parent's document, a sub-organization begins only if its proposal writes none. */
function confirmSub(world: World, proposed: Proposed): string {
  const documents = proposed.records.filter(({ type }) => type === "organization");
  const own = documents.find(({ organizationId }) => organizationId === proposed.organizationId);
  const [sub] = documents.filter((each) => each !== own);
  if (!sub) return "skipped: it makes no sub-organization";
  const answer = world.call({ call: "confirm", attachments: [sub.bytes] });
  if (answer.kind !== "confirmed") {
    return answer.kind === "error" ? `refused: ${answer.error.message}` : answer.kind;
  }
  if (own && !proposed.request.organization.before.has(own.digest)) {
    throw new Fault(
      `the sub-organization of ${proposed.step} begins, but its votes were not committed`,
    );
  }
  confirmed(world, [proposed]);
  return "confirmed";
}

/** Documents that follow each other are confirmed together: the older ones first. */
function inOrder(proposals: Proposed[]): Proposed[] {
  return [...proposals].sort((a, b) => a.documentVersion - b.documentVersion);
}
