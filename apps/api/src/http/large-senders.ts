import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import { isPasskeyStamp, type Stamp } from "@keyhearth/engine/people/authenticate";
import type { Owner } from "../fairness/families.ts";

/**
 * Who was charged for the last large body that each key stamped. A stamp comes before its body, so this tells whose turn
 * it would be before anything is read. It proves nothing: it only refuses what would be refused with its body too.
 */
export type LargeSenders = {
  ownerOf(stamp: Stamp): Owner | undefined;
  note(stamp: Stamp, owner: Owner): void;
};

/** A key that was not used for long is forgotten, and has its next large body read. */
const MAX_REMEMBERED = 10_000;

export function createLargeSenders(max = MAX_REMEMBERED): LargeSenders {
  const owners = new Map<string, Owner>();
  return {
    ownerOf: (stamp) => owners.get(nameOf(stamp)),
    note: (stamp, owner) => keepNewest(owners, max, nameOf(stamp), owner),
  };
}

function nameOf(stamp: Stamp): string {
  return isPasskeyStamp(stamp) ? stamp.credentialId : stamp.publicKey;
}
