import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createDoor } from "./door.ts";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("large frames that end at once are taken one in each turn of the event loop", async () => {
  const cuts: string[] = [];
  const door = createDoor(
    () => ({ kind: "pong" }),
    ({ event }) => void cuts.push(event),
  );
  // Their length fits, and nothing else of them: a connection is cut once its frame is taken.
  const frame = new Uint8Array(4 + 2 * 1024 * 1024);
  new DataView(frame.buffer).setUint32(0, frame.length - 4);
  const connections = Array.from({ length: 3 }, () => new Socket());
  for (const each of connections) door.serve(each);
  for (const each of connections) each.emit("data", frame);
  const seen = [cuts.length];
  for (let i = 0; i < 4; i++) {
    await turn();
    seen.push(cuts.length);
  }
  expect(seen).toEqual([0, 1, 2, 3, 3]);
  door.close();
});
