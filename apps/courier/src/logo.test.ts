import { expect, test } from "vitest";
import { createLogos } from "./logo.ts";

test("a logo that does not come within two seconds is left out", async () => {
  const logos = createLogos({ fetch: () => new Promise(() => {}) });
  const startedAt = performance.now();
  expect(await logos.find("https://example.com/logo.png")).toBeNull();
  expect(performance.now() - startedAt).toBeLessThan(4000);
});
