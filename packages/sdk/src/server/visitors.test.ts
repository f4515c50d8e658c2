import { expect, test } from "vitest";
import { Counts, countOrRefuse, placeOf } from "./visitors.ts";

test.each([
  ["192.0.2.7", "192.0.2.7", null],
  ["::ffff:192.0.2.7", "192.0.2.7", null],
  ["::FFFF:c000:207", "192.0.2.7", null],
  // Behind NAT64, all of IPv4 has one network or one site.
  ["64:ff9b::192.0.2.7", "192.0.2.7", null],
  ["64:ff9b:1:abcd::192.0.2.7", "192.0.2.7", null],
  ["2001:db8:1:2::9", "2001:db8:1:2", "2001:db8:1/48"],
  ["2001:0DB8:0001:0002:ffff::192.0.2.7", "2001:db8:1:2", "2001:db8:1/48"],
  ["fe80::1%eth0", "fe80:0:0:0", "fe80:0:0/48"],
  ["a hash of my own", "a hash of my own", null],
])("%s counts as %s", (address, network, site) => {
  expect(placeOf(address)).toEqual({ network, site });
});

test("of many visitors, the one who was quiet longest is forgotten", () => {
  const counts = new Counts({ most: 1, withinMs: 60_000 });
  for (let visitor = 0; visitor <= 10_000; visitor++) counts.add(`${visitor}`);
  expect([counts.hasRoom("0"), counts.hasRoom("1"), counts.hasRoom("10000")]).toEqual([
    true,
    false,
    false,
  ]);
});

test("what one count refuses takes nothing of the others", () => {
  const network = new Counts({ most: 2, withinMs: 60_000 });
  const site = new Counts({ most: 1, withinMs: 60_000 });
  const both = (key: string) => () =>
    countOrRefuse(
      [
        [network, key],
        [site, "site"],
      ],
      "too many",
    );
  const alone = (key: string) => () => countOrRefuse([[network, key]], "too many");
  both("a")();
  expect(both("b")).toThrow("too many");
  alone("b")();
  alone("b")();
  expect(alone("b")).toThrow("too many");
});
