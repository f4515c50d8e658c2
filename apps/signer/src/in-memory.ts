import { randomBytes } from "@keyhearth/crypto/primitives";
import type { CoreEvent } from "@keyhearth/engine/core/core";
import type { Answer, Request } from "@keyhearth/engine/core/protocol";
import { createCore } from "@keyhearth/engine/door/create-core";
import { createKeyring, type Keyring } from "@keyhearth/engine/vault/keyring";
import type { Machine } from "./clock/clock.ts";
import { createTime } from "./clock/time.ts";
import { createMarks } from "./marks/marks.ts";
import { createMemoryMarks } from "./marks/memory-marks.ts";
import { createCodeExchange } from "./oauth2/exchange.ts";
import { createRememberedExchange } from "./oauth2/remembered.ts";
import { type Issuer, parseIssuers } from "./oidc/issuers.ts";
import { createTokenVerifier } from "./oidc/verify-tokens.ts";
import { answerVerified, settle } from "./turns/answer-verified.ts";

/**
 * The signer of the emulator: the core of the product with its marks, its clock and its verification of tokens, and without
 * a state directory. All of it ends with the process. It is in no bundle of the product.
 */
export type MemorySigner = {
  answer(request: Request): Promise<Answer>;
  /** The organization whose founding has this fingerprint gets this id. */
  foundAs(fingerprint: string, organizationId: string): void;
};

export type MemorySignerOptions = {
  keyring: Keyring;
  machine: Machine;
  /** To whom messages are sealed. */
  courierKey: Uint8Array;
  log: (event: CoreEvent) => void;
  issuers?: readonly Issuer[];
};

export function openMemorySigner({
  keyring,
  machine,
  courierKey,
  log,
  issuers = parseIssuers(),
}: MemorySignerOptions): MemorySigner {
  const marks = createMemoryMarks();
  const time = createTime(marks.clock(), machine, {
    log,
    keep: (latestMs, accepted) => marks.rememberClock(latestMs, accepted),
  });
  const foundingIds = new Map<string, string>();
  const core = createCore({
    keyring,
    marks: createMarks(marks, { elapsedMs: machine.running }),
    now: time.now,
    time,
    random: randomBytes,
    log,
    courierKey: () => courierKey,
    foundingIdOf: (fingerprint) => foundingIds.get(fingerprint),
  });
  const verifyTokens = createTokenVerifier(issuers);
  // An emulator reaches nobody.
  const exchangeCode = createRememberedExchange(createCodeExchange([]));
  const verifying = { core, verifyTokens, exchangeCode };
  return {
    answer: async (request) => settle(answerVerified(verifying, request, new Map())),
    foundAs: (fingerprint, organizationId) => void foundingIds.set(fingerprint, organizationId),
  };
}

/** For all signers of one emulator, so that clients can go on with the public keys that they have pinned. */
export function newKeyring(): Keyring {
  return createKeyring(randomBytes);
}
