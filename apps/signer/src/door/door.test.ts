import { Socket } from "node:net";
import { expect, test } from "vitest";
import { createDoor } from "./door.ts";

const MB = 1024 * 1024;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test.each([
  ["of 2 MiB", 3, 2 * MB, [1, 2, 3, 3]],
  ["of 400 KiB", 5, 0.4 * MB, [2, 4, 5, 5]],
  ["that are small", 50, 1000, [50, 50, 50, 50]],
])(
  "frames %s that end at once are decoded in turns of the event loop",
  async (_, count, size, seen) => {
    const cuts: string[] = [];
    const door = createDoor(
      () => ({ kind: "pong" }),
      ({ event }) => void cuts.push(event),
    );
    // Their length fits, and nothing else of them: a connection is cut once its frame is decoded.
    const frame = new Uint8Array(4 + size);
    new DataView(frame.buffer).setUint32(0, size);
    const connections = Array.from({ length: count }, () => new Socket());
    for (const each of connections) door.serve(each);
    for (const each of connections) each.emit("data", frame);
    const seenNow = [cuts.length];
    while (seenNow.length < seen.length) {
      await turn();
      seenNow.push(cuts.length);
    }
    expect(seenNow).toEqual(seen);
    door.close();
  },
);
