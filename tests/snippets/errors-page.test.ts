import { readFileSync } from "node:fs";
import { ApiError, errorDetails, reasons } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";

const page = readFileSync(
  new URL("../../apps/website/docs/developer-reference/api-overview/errors.mdx", import.meta.url),
  "utf8",
);

test.each(reasons)("the errors page has an entry for the link of an error %s", (reason) => {
  const [detail] = errorDetails(new ApiError("INVALID_ARGUMENT", reason, "message"));
  expect(detail?.docs).toBe(
    `/developer-reference/api-overview/errors#${reason.toLowerCase().replaceAll("_", "-")}`,
  );
  // `ErrorReason` makes an anchor of exactly that form from its code.
  expect(page).toContain(`<ErrorReason code="${reason}">`);
});
