import { type Actor, exchange, queryOf, repeat } from "../attack.ts";
import { times, USER } from "./lists.ts";

/** Receipts of large records, for two at once. */
export const receipts: Actor = (attack) =>
  Promise.all(
    times(2, () =>
      repeat(attack, () => {
        const request = queryOf(attack.world.user, USER, "get_receipts", { limit: "100" });
        return exchange(attack, request);
      }),
    ),
  );
