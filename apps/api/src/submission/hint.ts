import { fingerprint as fingerprintOf } from "@keyhearth/crypto/stamps/fingerprint";
import { findActivity } from "@keyhearth/engine/activities/index";
import type { ActivityDeclaration } from "@keyhearth/engine/declare/define";
import { parseSubmission, typeReadAs } from "@keyhearth/engine/submission/envelope";
import type { SentStamp, Stamped } from "../callers/stamp.ts";
import type { SignerTurn } from "../fairness/proxy-turn.ts";
import type { Found } from "../host/signup.ts";
import type { Answered } from "../wire/answered.ts";
import type { Sender } from "../wire/request.ts";
import { decodeBody } from "../wire/request.ts";
import { explainUnreadable } from "../wire/unreadable-json.ts";

/** A submission as it arrived. `body` is the exact bytes that were stamped. */
export type SubmitRequest = {
  endpoint: string;
  body: Uint8Array;
  stamp: SentStamp<Stamped>;
  /** Organizations whose key stamped it, if it is large. */
  stampers?: readonly string[] | null;
  /** Who signs up, for the founding of an organization. */
  signup?: { address: string; admit: AdmitFounding };
  /** Whose turn it takes at the signer. By default, that of the organization that it is for. */
  turnFor?: (organizationId: string) => SignerTurn;
  /** Called once the stamp is known to be that of a user of the organization or of its parent. */
  onKnown?: () => void;
  /** Called before the request may wait for an issuer's keys, which is not this service's time. */
  onWait?: () => void;
  /** Called with whose request it is, once the signer has verified the stamp. */
  onSender?: (sender: Sender) => void;
};

/** Refuses a founding that its sender may not do now. Otherwise it is done, and charged once it is verified. */
export type AdmitFounding = (found: Found<Answered>) => Promise<Answered>;

/** What the host reads from a request, once, to look things up. The core trusts none of it. */
export type Hint = {
  request: SubmitRequest;
  declaration: ActivityDeclaration;
  /** The organization that the request is for. */
  organizationId: string;
  /** Whether the request names the parent of that organization. */
  namesParent: boolean;
  type: string;
  intent: unknown;
  fingerprint: string;
  /** Fingerprint of the activity that the request is about: its own, or that of the vote's target. */
  target: string;
  stampedBy: SubmitRequest["stamp"]["read"];
};

export function readHint(request: SubmitRequest): Hint {
  const declaration = findActivity(request.endpoint);
  if (!declaration) throw new Error("a submission without a declaration");
  const { envelope, intent } = parseBody(declaration, request.body);
  const fingerprint = fingerprintOf(request.body);
  return {
    request,
    declaration,
    organizationId: envelope.organizationId,
    namesParent: false,
    type: typeReadAs(declaration, envelope),
    intent,
    fingerprint,
    // The intent of every vote names the activity by its fingerprint.
    target: declaration.vote ? (intent as { fingerprint: string }).fingerprint : fingerprint,
    stampedBy: request.stamp.read,
  };
}

/** The text of a large body is not kept while the request is under way. */
function parseBody(declaration: ActivityDeclaration, body: Uint8Array) {
  const text = decodeBody(body);
  return explainUnreadable(text, () => parseSubmission(declaration, text));
}
