import { expect, test } from "vitest";
import { createTurns } from "./turns.ts";

test("who shares a key with somebody waits for them, also behind one who gave up", async () => {
  const turns = createTurns();
  const order: string[] = [];
  const join = (name: string, keys: string[]) => {
    const { turn, leave } = turns.join(keys);
    void turn?.then(() => order.push(name));
    return { isFirst: turn === null, leave };
  };
  const a = join("a", ["1"]);
  const b = join("b", ["1", "2"]);
  const c = join("c", ["2"]);
  const other = join("other", ["3"]);
  expect([a, b, c, other].map(({ isFirst }) => isFirst)).toEqual([true, false, false, true]);
  // Nobody who came before b has left, so c still waits.
  b.leave();
  await new Promise(setImmediate);
  expect(order).toEqual([]);
  a.leave();
  await expect.poll(() => order).toEqual(["b", "c"]);
  c.leave();
  await new Promise(setImmediate);
  expect(turns.join(["1", "2"]).turn).toBeNull();
});
