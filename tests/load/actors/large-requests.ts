import { type Actor, exchange, repeat, submissionOf } from "../attack.ts";
import { largeSigning } from "../world.ts";
import { times, USER } from "./lists.ts";

/** After each answer. Without it, ten minutes would fill a small disk with records. */
const PAUSE_MS = 500;

/** Signatures of a megabyte, each of which ten webhook endpoints receive. */
export const largeRequests: Actor = (attack) => {
  const { user, signWith } = attack.world;
  const sign = () => exchange(attack, submissionOf(user, USER, largeSigning(user, signWith)));
  return Promise.all(times(2, () => repeat(attack, sign, PAUSE_MS)));
};
