import type { ApiError } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { arrivingOf, createHeldBytes, type HeldBytes } from "./held-bytes.ts";
import { boundsFor } from "./open-connections.ts";

const limits = { bytes: 100, bytesOfAddress: 40, arrivingOfAddress: 3 };

function begin(held: HeldBytes, address: string) {
  const body = {
    refusal: null as ApiError | null,
    ...held.begin(address, (error) => {
      body.refusal = error;
    }),
  };
  return body;
}

const isCut = ({ refusal }: { refusal: ApiError | null }) => refusal !== null;

test("above the bound of an address, the body that has waited longest for more is cut", () => {
  const held = createHeldBytes(limits);
  const [first, second, other] = [
    begin(held, "192.0.2.1"),
    begin(held, "192.0.2.1"),
    begin(held, "192.0.2.2"),
  ];
  other.hold(40);
  first.hold(20);
  second.hold(20);
  // Now the second one has waited longer.
  first.hold(1);
  expect([first, second, other].map(isCut)).toEqual([false, true, false]);
  expect(second.refusal).toMatchObject({
    code: "RESOURCE_EXHAUSTED",
    reason: "RATE_LIMITED",
    message:
      "too many requests from your address are still being sent, and this one has waited longest for the rest of its body; send it again",
  });
  first.hold(19);
  expect(isCut(first)).toBe(false);
});

test("above the bound in all, only the sender who holds the most loses a body", () => {
  const held = createHeldBytes(limits);
  const small = begin(held, "192.0.2.1");
  const large = [2, 3, 4].map((i) => begin(held, `192.0.2.${i}`));
  small.hold(5);
  for (const [i, body] of large.entries()) body.hold(30 + i);
  expect([small, ...large].some(isCut)).toBe(false);
  small.hold(5);
  expect([small, ...large].map(isCut)).toEqual([false, false, false, true]);
});

test("networks of one IPv6 site are one sender", () => {
  const held = createHeldBytes(limits);
  const bodies = [1, 2, 3].map((i) => begin(held, `2001:db8:7:${i}::1`));
  for (const body of bodies) body.hold(15);
  expect(bodies.map(isCut)).toEqual([true, false, false]);
});

test("bodies on their way are bounded in number too, even empty ones", () => {
  const held = createHeldBytes(limits);
  const bodies = [1, 2, 3, 4].map(() => begin(held, "192.0.2.1"));
  expect(bodies.map(isCut)).toEqual([true, false, false, false]);
  bodies[1]?.arrived();
  begin(held, "192.0.2.1");
  expect(bodies.slice(1).map(isCut)).toEqual([false, false, false]);
});

test("what has arrived counts until it is settled, and is not cut", () => {
  const held = createHeldBytes(limits);
  const [arrived, next, last] = [1, 2, 3].map(() => begin(held, "192.0.2.1")) as [
    ReturnType<typeof begin>,
    ReturnType<typeof begin>,
    ReturnType<typeof begin>,
  ];
  arrived.hold(40);
  arrived.arrived();
  next.hold(1);
  expect([arrived, next].map(isCut)).toEqual([false, true]);
  arrived.settle();
  arrived.settle();
  last.hold(40);
  expect(isCut(last)).toBe(false);
});

test("bodies on their way take at most half of the connections that an address may have", () => {
  expect(arrivingOf(boundsFor(null))).toBe(512);
  expect(arrivingOf(boundsFor(512))).toBe(48);
});
