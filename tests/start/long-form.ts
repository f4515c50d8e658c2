import { test } from "vitest";

/** Whether the tests run in their long forms, as `npm run e2e` has them. */
export const isLong = process.env.KEYHEARTH_LONG === "1";

/** For one more walk, language or way to fail where `npm test` has another of the kind. */
export const testInLongForm = test.runIf(isLong);
