import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import { isPasskeyStamp, type Stamp } from "@keyhearth/engine/people/authenticate";
import type { Owner } from "../fairness/families.ts";

/**
 * Who was charged for the last large body that each key stamped. A stamp comes before its body, so this tells whose turn
 * it would be before anything is read. It proves nothing: it only refuses what would be refused with its body too.
 * A passkey's stamp names no key, but the id of a credential, which anybody can register for another key: it says nothing.
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
    ownerOf: (stamp) => (isPasskeyStamp(stamp) ? undefined : owners.get(stamp.publicKey)),
    note(stamp, owner) {
      if (!isPasskeyStamp(stamp)) keepNewest(owners, max, stamp.publicKey, owner);
    },
  };
}
