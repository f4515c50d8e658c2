import { expect, test } from "vitest";
import vector from "../../packages/crypto/src/vectors/receipts.json" with { type: "json" };
import { makeVector } from "./vector.ts";

test("the core still makes the receipts that it once made", () => {
  expect(makeVector()).toEqual(vector);
});
