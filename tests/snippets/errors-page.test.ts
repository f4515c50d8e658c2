import { readFileSync } from "node:fs";
import { ApiError, errorDetails, reasons } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";

const page = readFileSync(
  new URL("../../apps/website/docs/developer-reference/api-overview/errors.mdx", import.meta.url),
  "utf8",
);

test.each(reasons)(
  "the link of an error %s has an entry on the errors page to lead to",
  (reason) => {
    const [detail] = errorDetails(new ApiError("INVALID_ARGUMENT", reason, "message"));
    expect(detail?.docs).toBe(
      `/developer-reference/api-overview/errors#${reason.toLowerCase().replaceAll("_", "-")}`,
    );
    // `ErrorReason` makes the anchor of its code in exactly that form.
    expect(page).toContain(`<ErrorReason code="${reason}">`);
  },
);
