import { expect, test } from "vitest";
import { createPace, createPlaces } from "./places.ts";

test("beyond the places, the owner who has the most loses the oldest", () => {
  const evicted: string[] = [];
  const places = createPlaces<string>(3, (place) => evicted.push(place));
  places.take("one", "a1");
  places.take("one", "a2");
  places.take("two", "b1");
  places.take("three", "c1");
  expect(evicted).toEqual(["a1"]);
  // Everybody has one, and the one that came first goes.
  places.take("four", "d1");
  expect(evicted).toEqual(["a1", "a2"]);
  places.leave("two", "b1");
  places.leave("two", "b1");
  places.take("five", "e1");
  expect(evicted).toEqual(["a1", "a2"]);
});

test("an owner with many connections displaces only its own", () => {
  const evicted: string[] = [];
  const places = createPlaces<string>(4, (place) => evicted.push(place));
  places.take("quiet", "q");
  for (let i = 0; i < 100; i++) places.take("loud", `l${i}`);
  expect(evicted).toHaveLength(97);
  expect(evicted).not.toContain("q");
});

test("a pace is so many at once and so many in a second, for each owner", () => {
  let now = 0;
  const mayGo = createPace({ perSecond: 2, atOnce: 3, mostOwners: 2 }, () => now);
  const tries = (owner: string) => [1, 2, 3, 4].filter(() => mayGo(owner)).length;
  expect(tries("one")).toBe(3);
  expect(tries("two")).toBe(3);
  now = 1000;
  expect(tries("one")).toBe(2);
  now = 60_000;
  expect(tries("one")).toBe(3);
  // The owner that came longest ago is forgotten.
  expect(tries("three")).toBe(3);
  expect(tries("two")).toBe(3);
});
