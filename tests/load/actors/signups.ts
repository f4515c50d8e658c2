import { newApiKey } from "../../../bench/requests.ts";
import { type Actor, type Attack, addressIn, exchange, repeat, submissionOf } from "../attack.ts";
import { founding } from "../world.ts";
import { times } from "./lists.ts";

const AT_FIRST = 1000;
const CONNECTIONS = 50;
const EVERY_MS = 250;

/** Signups that another key has stamped than the one they name: a thousand, and then four a second. */
export const signups: Actor = async (attack) => {
  // Stamping takes longer than sending, and the first thousand come at once.
  const first = times(AT_FIRST, () => forged(attack));
  const send = async () => {
    for (let next = first.pop(); next && !attack.isOver(); next = first.pop()) {
      attack.note(await exchange(attack, next).catch(() => "lost"));
    }
  };
  await Promise.all(times(CONNECTIONS, send));
  await repeat(attack, () => exchange(attack, forged(attack)), EVERY_MS);
};

function forged(attack: Attack): Buffer {
  const [named, own] = [newApiKey(), newApiKey()];
  const asked = founding(attack.world.rootOrganizationId, named.publicKey);
  const by = { organizationId: "", userId: "", apiPublicKey: "", apiPrivateKey: own.privateKey };
  return submissionOf(by, addressIn("203.0.113", attack), asked);
}
