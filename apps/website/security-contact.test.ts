import { expect, test } from "vitest";
import { readSecurityContact } from "./security-contact.ts";

test("without settings, the site has no contact of its own", () => {
  expect(readSecurityContact({})).toEqual({ contact: null, key: null, responseDays: null });
});

test("an operator sets an address, a key and a time to answer", () => {
  expect(
    readSecurityContact({
      KEYHEARTH_SITE_SECURITY_CONTACT: "mailto:security@example.com",
      KEYHEARTH_SITE_SECURITY_KEY: "https://example.com/security.asc",
      KEYHEARTH_SITE_SECURITY_RESPONSE_DAYS: "3",
    }),
  ).toEqual({
    contact: "mailto:security@example.com",
    key: "https://example.com/security.asc",
    responseDays: 3,
  });
});

test.each([
  ["KEYHEARTH_SITE_SECURITY_CONTACT", "security@example.com"],
  ["KEYHEARTH_SITE_SECURITY_CONTACT", "http://example.com/report"],
  ["KEYHEARTH_SITE_SECURITY_KEY", "0xABCDEF"],
  ["KEYHEARTH_SITE_SECURITY_RESPONSE_DAYS", "soon"],
  ["KEYHEARTH_SITE_SECURITY_RESPONSE_DAYS", "0"],
])("%s refuses `%s` and says what to write", (name, value) => {
  expect(() => readSecurityContact({ [name]: value })).toThrow(`${name} is \`${value}\`: write `);
});
