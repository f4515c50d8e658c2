import { expect, test } from "vitest";
import { WebAuthnStamper } from "./webauthn.ts";

test("a malformed credential id is refused with its place before any prompt", () => {
  expect(() => new WebAuthnStamper({ allowCredentials: ["AQID", "AQ=="] })).toThrow(
    expect.objectContaining({
      name: "InvalidCredential",
      code: "INVALID_CREDENTIAL",
      field: "allowCredentials[1]",
    }),
  );
});
