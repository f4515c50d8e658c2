import { encodeHex } from "@keyhearth/crypto/encoding";
import { createParsedInterfaces } from "../chains/contract-interfaces.ts";
import { ApiError, recordRefused, toErrorMessage } from "../errors.ts";
import { installationIdOf } from "../keys/ids.ts";
import { currentEpoch, type Keyring } from "../keys/keyring.ts";
import { deriveQuorumKeys, signerPublicKey } from "../keys/quorum-key.ts";
import { createUnsealedKeys } from "../keys/unsealed-keys.ts";
import { receiptKeyCertificate, sealSegment } from "../receipts/receipts.ts";
import { createHeldRecords } from "../records/held-records.ts";
import { notarize, verifyRecord } from "../records/notarize.ts";
import { foundOrganization } from "../submission/found-organization.ts";
import { submit } from "../submission/submit.ts";
import type { Core, CoreOptions } from "./core.ts";
import type { Answer, Attest, Request } from "./protocol.ts";
import { createTickets } from "./tickets.ts";

/** The trusted core: a function from a request to its answer. It keeps bounded memory in between. */
export function createCore({
  keyring,
  marks,
  now,
  random,
  log,
  maxHeldBytes = 128 * 1024 * 1024,
  isNew = () => false,
}: CoreOptions): (request: Request) => Answer {
  const core: Core = {
    keyring,
    quorum: deriveQuorumKeys(keyring),
    marks,
    now,
    random,
    log,
    isNew,
    held: createHeldRecords(keyring, maxHeldBytes),
    unsealedKeys: createUnsealedKeys({ max: 4096, maxAgeMs: 60_000, now }),
    interfaces: createParsedInterfaces(),
    tickets: createTickets(encodeHex(random(8))),
  };

  return (request) => {
    try {
      return answer(core, request);
    } catch (error) {
      const message = toErrorMessage(error);
      if (isAlarm(error)) log({ event: "refused", call: request.call, ...message, cause: error });
      return { kind: "error", error: message };
    }
  };
}

function answer(core: Core, request: Request): Answer {
  switch (request.call) {
    case "submit":
      return request.endpoint === "create_organization"
        ? foundOrganization(core, request)
        : submit(core, request);
    case "confirm": {
      for (const { organizationId, version, digest } of core.tickets.close(request.ticket)) {
        core.marks.move(organizationId, version, digest);
      }
      return { kind: "confirmed" };
    }
    case "attest":
      return attest(core, request);
    case "renew":
      return { kind: "renewed", attachments: request.attachments.map((each) => renew(core, each)) };
    case "describe":
      return {
        kind: "description",
        signerPublicKey: signerPublicKey(core.keyring),
        quorumPublicKey: core.quorum.publicKey,
        receiptKey: receiptKeyCertificate(core.keyring, core.quorum),
        keyEpoch: currentEpoch(core.keyring).epoch,
        nowMs: core.now(),
        installationId: installationIdOf(core.keyring),
        isNew: core.isNew(),
        isOwn: (request.attachments ?? []).every((bytes) => isNotarized(core.keyring, bytes)),
      };
    default:
      throw recordRefused("unknown call at the door");
  }
}

function attest(core: Core, request: Attest): Answer {
  const sealed = sealSegment(core.keyring, request);
  core.marks.extend(request.organizationId, request.previous, sealed);
  return { kind: "segment", ...sealed };
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
function isAlarm(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return error.code === "INTERNAL" || error.code === "UNAVAILABLE";
}
