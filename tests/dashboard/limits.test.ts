import { LIMITS } from "@keyhearth/engine/records/limits";
import { expect, test } from "vitest";
import { limits } from "../../apps/dashboard/src/screens/overview/limits.ts";

test("the overview shows the limits that the signer enforces", () => {
  expect(LIMITS).toMatchObject(limits);
});
