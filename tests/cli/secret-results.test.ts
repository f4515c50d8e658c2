import { activities } from "@keyhearth/engine/activities/index";
import { expect, test } from "vitest";
import { hasSecretResult } from "../../packages/cli/src/organization-file.ts";

test("exports leave out the results that the signer keeps back or shows to their requester alone, and no others", () => {
  const types = activities.flatMap(({ versions, answer }) =>
    Object.keys(versions).map((type) => ({
      type,
      isSecret: Boolean(answer?.secret ?? answer?.private),
    })),
  );
  expect(types.length).toBeGreaterThan(50);
  for (const { type, isSecret } of types)
    expect([type, hasSecretResult(type)]).toEqual([type, isSecret]);
});
