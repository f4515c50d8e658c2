import { expect, test } from "vitest";
import { readAudit } from "./read-audit.ts";

test("an exit code of 0 is an audit that found nothing", () => {
  expect(readAudit(JSON.stringify({ vulnerabilities: {} }), 0)).toBe("nothing");
});

test("a registry that is away, or has no advisories, is passed over with what npm says", () => {
  const summary = "getaddrinfo ENOTFOUND registry.npmjs.org";
  const away = JSON.stringify({ error: { code: "ENOTFOUND", summary } });
  expect(readAudit(away, 1)).toEqual({ unreachable: summary });
  const message = "405 Method Not Allowed";
  const none = JSON.stringify({ message, statusCode: 405, error: { summary: "", detail: "" } });
  expect(readAudit(none, 1)).toEqual({ unreachable: message });
});

test.each([
  ["an advisory", JSON.stringify({ auditReportVersion: 2, vulnerabilities: { left: {} } })],
  ["a signature that does not verify", JSON.stringify({ invalid: [{ name: "left" }] })],
  ["a package that was changed", JSON.stringify({ error: { code: "EINTEGRITY" } })],
  ["what nobody can read", "npm broke"],
])("%s fails with the report", (_, report) => {
  expect(readAudit(report, 1)).toEqual({ report });
});
