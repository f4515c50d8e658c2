import { expect, test } from "vitest";
import { LOOPBACK } from "../ancestors.ts";
import { isAllowed } from "./place.ts";

const listed = "https://app.example https://admin.example:8443";

test.each([
  ["https://app.example", listed],
  ["https://admin.example:8443", listed],
  ["http://localhost:5173", LOOPBACK],
  ["http://localhost", LOOPBACK],
  ["http://127.0.0.1:3000", LOOPBACK],
])("%s may embed a frame for %s", (origin, allowed) => {
  expect(isAllowed(origin, allowed)).toBe(true);
});

test.each([
  ["https://app.example", ""],
  ["null", ""],
  ["", ""],
  ["null", listed],
  ["http://app.example", listed],
  ["https://app.example:8443", listed],
  ["https://app.example.evil.example", listed],
  ["https://sub.app.example", listed],
  ["https://admin.example", listed],
  ["https://localhost:5173", LOOPBACK],
  ["http://localhost.evil.example", LOOPBACK],
  ["http://localhost:123456", LOOPBACK],
  ["http://127.0.0.2:3000", LOOPBACK],
])("%s may not for `%s`", (origin, allowed) => {
  expect(isAllowed(origin, allowed)).toBe(false);
});
