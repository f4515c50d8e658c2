import {
  type Actor,
  type Attack,
  askAndWait,
  exchange,
  queryOf,
  repeat,
  sleep,
} from "../attack.ts";
import { dial } from "../line.ts";

/** The address of the end user, whose requests share its allowance. */
export const USER = "198.51.100.10";

/** Pages of the largest activities: two that are read, and sixteen that are read slowly or never. */
export const lists: Actor = (attack) =>
  Promise.all([
    ...times(2, () => repeat(attack, () => exchange(attack, page(attack)))),
    ...times(8, () => repeat(attack, () => askAndWait(attack, page(attack), 30_000))),
    ...times(8, () => repeat(attack, () => readSlowly(attack))),
  ]);

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function page({ world }: Attack): Buffer {
  return queryOf(world.user, USER, "list_activities", {
    filterByType: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"],
    paginationOptions: { limit: "100" },
  });
}

/** Sixteen kilobytes ten times a second, for half a minute. */
async function readSlowly(attack: Attack): Promise<string> {
  const socket = await dial(attack.world.url);
  socket.write(page(attack));
  socket.pause();
  const endAt = performance.now() + 30_000;
  while (!attack.isOver() && !socket.destroyed && performance.now() < endAt) {
    socket.read(16 * 1024) ?? socket.read();
    await sleep(100);
  }
  socket.destroy();
  return "slow";
}
