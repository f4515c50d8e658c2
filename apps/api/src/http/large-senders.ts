import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import { isPasskeyStamp, type Stamp } from "@keyhearth/engine/people/authenticate";
import { siteOf } from "@keyhearth/outbound/counted-addresses";
import type { Owner } from "../fairness/families.ts";

/**
 * Who was charged for the last large body that each key stamped, sent from one network. A stamp comes before its body, so
 * this tells whose turn it would be before anything is read. It proves nothing: it only refuses what would be refused with
 * its body too, and only where the key's holder has sent from, because nobody else may learn what the key has done.
 * A passkey's stamp names no key, but the id of a credential, which anybody can register for another key: it says nothing.
 */
export type LargeSenders = {
  ownerOf(sent: Sent): Owner | undefined;
  note(sent: Sent, owner: Owner): void;
};

type Sent = { stamp: Stamp; address: string };

/** A key that was not used for long is forgotten, and has its next large body read. */
const MAX_REMEMBERED = 10_000;

export function createLargeSenders(max = MAX_REMEMBERED): LargeSenders {
  const owners = new Map<string, Owner>();
  return {
    ownerOf(sent) {
      const name = nameOf(sent);
      return name === null ? undefined : owners.get(name);
    },
    note(sent, owner) {
      const name = nameOf(sent);
      if (name !== null) keepNewest(owners, max, name, owner);
    },
  };
}

function nameOf({ stamp, address }: Sent): string | null {
  return isPasskeyStamp(stamp) ? null : `${siteOf(address)} ${stamp.publicKey}`;
}
