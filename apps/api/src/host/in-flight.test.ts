import { expect, test } from "vitest";
import { createInFlight } from "./in-flight.ts";

test("an address has so many requests in flight, and no more until one of them ends", async () => {
  const inFlight = createInFlight(2);
  const releases: (() => void)[] = [];
  const held = () => new Promise<void>((resolve) => void releases.push(resolve));
  const first = inFlight.run("192.0.2.1", held);
  const second = inFlight.run("192.0.2.1", held);
  await expect(inFlight.run("192.0.2.1", async () => {})).rejects.toMatchObject({
    code: "RESOURCE_EXHAUSTED",
    reason: "RATE_LIMITED",
    message:
      "too many requests from your address are under way; wait for the answers of some and send the rest again",
  });
  await inFlight.run("192.0.2.2", async () => {});
  releases[0]?.();
  await first;
  await inFlight.run("192.0.2.1", async () => {});
  releases[1]?.();
  await second;
});

test("the networks of an IPv6 site count together, and a request that fails has ended too", async () => {
  const inFlight = createInFlight(1);
  const failed = inFlight.run("2001:db8:7:1::1", async () => {
    await expect(inFlight.run("2001:db8:7:2::1", async () => {})).rejects.toMatchObject({
      reason: "RATE_LIMITED",
    });
    throw new Error("failed");
  });
  await expect(failed).rejects.toThrow("failed");
  await inFlight.run("2001:db8:7:2::1", async () => {});
});
