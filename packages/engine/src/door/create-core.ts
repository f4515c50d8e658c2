import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { importPrivateKey } from "@keyhearth/crypto/keys/keys";
import { importVerificationKey } from "@keyhearth/crypto/tokens/verification-token";
import { createOrganization } from "../activities/create-organization.ts";
import { decideFounding } from "../activities/decide-founding.ts";
import { activityNamed, activityOfType } from "../activities/index.ts";
import { createParsedInterfaces } from "../chains/contract-interfaces.ts";
import { createAside } from "../core/aside.ts";
import type { Core, CoreEvent, CoreOptions, SharedMemory } from "../core/core.ts";
import {
  type Answer,
  type Attest,
  olderRelease,
  PROTOCOL,
  type Request,
} from "../core/protocol.ts";
import { createTickets } from "../core/tickets.ts";
import { Unfinished } from "../core/unfinished.ts";
import { Unseen } from "../core/unseen.ts";
import { ApiError, Overtaken, recordRefused, toErrorMessage } from "../errors.ts";
import { createUnsealedKeys } from "../keys/unsealed-keys.ts";
import { UnverifiedStatements, type Verdicts } from "../people/attestation-statements.ts";
import { UnexchangedCode } from "../people/code-exchanges.ts";
import { isOauth2Token } from "../people/oauth2-tokens.ts";
import { createRegistrations } from "../people/passkey-registrations.ts";
import { createStampKeys } from "../people/stamp-keys.ts";
import { createWaitingCodes } from "../people/waiting-codes.ts";
import { receiptKeyCertificate, sealSegment } from "../receipts/receipts.ts";
import { createCompiledPolicies } from "../records/compiled-policies.ts";
import { createHeldRecords } from "../records/held-records.ts";
import { notarize, verifyRecord } from "../records/notarize.ts";
import type { Identity } from "../records/organization.ts";
import { submit } from "../submission/submit.ts";
import { installationIdOf } from "../vault/ids.ts";
import { currentEpoch, type Keyring } from "../vault/keyring.ts";
import { deriveOauth2Key } from "../vault/oauth2-key.ts";
import {
  deriveQuorumKeys,
  sessionPublicKey,
  signerPublicKey,
  verificationPublicKey,
} from "../vault/quorum-key.ts";
import { deriveWebhookKey } from "../vault/webhook-key.ts";
import { confirm } from "./confirm.ts";
import { assertShort } from "./short-calls.ts";
import { signWebhooks } from "./sign-webhooks.ts";

const MB = 1024 * 1024;

/**
 * What the core may keep between requests, in bytes of memory. An organization's part is large
 * enough for the largest document, and for policies and interfaces of the greatest size.
 */
const BOUNDS = {
  records: { max: 96 * MB, maxPerOrganization: 16 * MB },
  policies: { max: 64 * MB, maxPerOrganization: 16 * MB },
  interfaces: { max: 64 * MB, maxPerOrganization: 16 * MB },
  stampKeys: { max: 16 * MB, maxPerOrganization: 2 * MB },
  codes: { max: 64 * MB },
  /** In number. */
  unsealedKeys: { max: 4096, maxPerOrganization: 1024 },
};

/** One of several cores has its part of what all may keep, and always room for the largest organization. */
function partOf<Part extends { max: number; maxPerOrganization: number }>(
  bounds: Part,
  cores: number,
): Part {
  const { max, maxPerOrganization } = bounds;
  return { ...bounds, max: Math.max(Math.ceil(max / cores), maxPerOrganization) };
}

/** A memory for one core, or for several. */
export function createSharedMemory(random: CoreOptions["random"]): SharedMemory {
  return {
    tickets: createTickets(encodeHex(random(8))),
    waitingCodes: createWaitingCodes({ ...BOUNDS.codes, random }),
  };
}

/**
 * The trusted core: a function from a request to its answer. It keeps bounded memory in between. If
 * attestation statements or tokens have to be verified first, it throws `UnverifiedStatements`, and if a code has to be
 * exchanged, `UnexchangedCode`: it is asked again with the verdicts. If others should be served before the answer, it throws `Unfinished`.
 */
export function createCore({
  keyring,
  marks,
  now,
  time = { peek: now, jumps: () => 0, isSpent: () => false, use() {} },
  random,
  log,
  courierKey,
  isNew = () => false,
  foundingIdOf = () => undefined,
  start = { number: 1, atMs: 0 },
  shared = { ...createSharedMemory(random), cores: 1 },
}: CoreOptions): (request: Request, verdicts?: Verdicts) => Answer {
  const { tickets, waitingCodes, cores } = shared;
  const policies = createCompiledPolicies(partOf(BOUNDS.policies, cores));
  const core: Core = {
    activities: { named: activityNamed, ofType: activityOfType },
    keyring,
    quorum: deriveQuorumKeys(keyring),
    sessionKey: importPrivateKey("CURVE_P256", keyring.keys.session),
    webhookKey: deriveWebhookKey(keyring),
    oauth2Key: deriveOauth2Key(keyring),
    verificationKey: importVerificationKey(keyring.keys.verification),
    marks,
    now,
    time,
    random,
    log,
    courierKey,
    isNew,
    foundingIdOf,
    start,
    held: createHeldRecords(keyring, policies, partOf(BOUNDS.records, cores)),
    stampKeys: createStampKeys(partOf(BOUNDS.stampKeys, cores)),
    unsealedKeys: createUnsealedKeys({
      ...partOf(BOUNDS.unsealedKeys, cores),
      maxAgeMs: 60_000,
      now,
    }),
    waitingCodes,
    interfaces: createParsedInterfaces(partOf(BOUNDS.interfaces, cores)),
    tickets,
    aside: createAside(),
  };

  function guard(request: Request, work: () => Answer): Answer {
    try {
      return work();
    } catch (error) {
      if (error instanceof UnverifiedStatements || error instanceof UnexchangedCode) throw error;
      if (error instanceof Unseen) throw error;
      if (error instanceof Unfinished) {
        throw new Unfinished(() => guard(request, error.goOn), error.after);
      }
      return refuse(error, request, log);
    }
  }

  return (request, verdicts = NO_VERDICTS) => guard(request, () => answer(core, request, verdicts));
}

/** The answer to a request that fails with this error, which is logged if it is an alarm. */
export function refuse(error: unknown, request: Request, log: (event: CoreEvent) => void): Answer {
  const message = toErrorMessage(error);
  if (isAlarm(error, request))
    log({ event: "refused", call: nameOf(request.call), ...message, cause: error });
  return { kind: "error", error: message };
}

/** A hostile host may send anything as the name of a call, and this is logged. */
function nameOf(call: unknown): string {
  return typeof call === "string" ? call.slice(0, 40) : "unknown";
}

const NO_VERDICTS: Verdicts = new Map();

function answer(core: Core, request: Request, verdicts: Verdicts): Answer {
  assertShort(request);
  switch (request.call) {
    case "submit":
      core.unsealedKeys.dropOld();
      return request.endpoint === createOrganization.name
        ? decideFounding(core, request, verdicts)
        : submit(core, request, verdicts);
    case "confirm":
      return confirm(core, request);
    case "attest":
      return attest(core, request);
    case "renew":
      return { kind: "renewed", attachments: request.attachments.map((each) => renew(core, each)) };
    case "sign-webhooks":
      return signWebhooks(core, request);
    case "describe": {
      const service = Number(request.protocol ?? PROTOCOL);
      const older = olderRelease({ service, signer: PROTOCOL });
      if (older) throw recordRefused(older);
      return {
        kind: "description",
        protocol: PROTOCOL,
        signerPublicKey: signerPublicKey(core.keyring),
        quorumPublicKey: core.quorum.publicKey,
        sessionPublicKey: sessionPublicKey(core.keyring),
        verificationPublicKey: verificationPublicKey(core.keyring),
        webhookKey: {
          keyId: core.webhookKey.keyId,
          publicKey: encodeHex(core.webhookKey.publicKey),
        },
        courierPublicKey: toHex(core.courierKey()),
        receiptKey: receiptKeyCertificate(core.keyring, core.quorum),
        keyEpoch: currentEpoch(core.keyring).epoch,
        nowMs: core.time.peek(),
        clockJumps: core.time.jumps(),
        installationId: installationIdOf(core.keyring),
        run: core.waitingCodes.run,
        starts: core.start.number,
        startedAtMs: core.start.atMs,
        isNew: core.isNew(),
        isOwn: (request.attachments ?? []).every((bytes) => isNotarized(core.keyring, bytes)),
        ...(request.oidcToken !== undefined && {
          identity: identityOf(core, request.oidcToken, verdicts),
        }),
      };
    }
    default:
      throw recordRefused("unknown call at the door");
  }
}

/** Whom a token is about, for a query that looks for them. */
function identityOf(core: Core, oidcToken: string, verdicts: Verdicts): Identity {
  const nowMs = core.time.peek();
  // The host looks for them in one family only, and the issuer names the organization.
  const isOwn = (token: string) => isOauth2Token(token, core.oauth2Key);
  const own = { isOwn, countsFrom: () => true, isVoid: () => false };
  const registrations = createRegistrations({ origins: () => [], verdicts, nowMs, own });
  const { issuer, audience, subject } = registrations.readToken(oidcToken, "filterValue");
  registrations.assertVerified();
  return { issuer, audience, subject };
}

function attest(core: Core, request: Attest): Answer {
  const { segment, previous, head } = sealSegment(core.keyring, request);
  const { documentVersion: number, documentDigest: digest } = request;
  if (!core.marks.reaches(request.organizationId, { number, digest })) {
    return { kind: "unconfirmed" };
  }
  core.marks.extend(request.organizationId, previous, head);
  return { kind: "segment", segment, ...head };
}

function toHex(bytes: Uint8Array | null): string | null {
  return bytes && encodeHex(bytes);
}

function isNotarized(keyring: Keyring, bytes: Uint8Array): boolean {
  try {
    verifyRecord(keyring, bytes);
    return true;
  } catch {
    return false;
  }
}

/** Notarizes the same header and body under the current key epoch. The version does not change. */
function renew(core: Core, bytes: Uint8Array): Uint8Array {
  const { header, body } = verifyRecord(core.keyring, bytes);
  if (header.type === "organization") {
    throw recordRefused("a document is renewed by its next change, so that its chain stays intact");
  }
  return notarize(core.keyring, header, body);
}

/** Errors that no client can cause: a refused or stale record, the clock, a bug. */
function isAlarm(error: unknown, request: Request): boolean {
  if (!(error instanceof ApiError)) return true;
  if (error instanceof Overtaken) return request.call === "submit" && request.isReread === true;
  return error.code === "INTERNAL" || error.code === "UNAVAILABLE";
}
