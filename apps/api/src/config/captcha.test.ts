import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";

const all = {
  KEYHEARTH_CAPTCHA_URL: "https://captcha.example.com/siteverify",
  KEYHEARTH_CAPTCHA_SECRET: "secret-of-provider",
  KEYHEARTH_CAPTCHA_SITE_KEY: "site-key",
};

describe("the captcha of the login proxy", () => {
  test("is off without its settings, and has all of them", () => {
    expect(readConfig({}).captcha).toBeNull();
    const captcha = readConfig(all).captcha;
    expect(captcha?.url).toBe(all.KEYHEARTH_CAPTCHA_URL);
    expect(captcha?.secret.open()).toBe(all.KEYHEARTH_CAPTCHA_SECRET);
    expect(JSON.stringify(captcha)).not.toContain(all.KEYHEARTH_CAPTCHA_SECRET);
  });

  test.each(Object.keys(all))("is refused without %s", (name) => {
    expect(() => readConfig({ ...all, [name]: "" })).toThrow(`${name} must be set too`);
  });

  test.each([
    ["http://captcha.example.com/siteverify"],
    ["https://user:pass@captcha.example.com/"],
    ["https://captcha.example.com/#a"],
    ["captcha.example.com"],
  ])("is not asked at %s", (url) => {
    expect(() => readConfig({ ...all, KEYHEARTH_CAPTCHA_URL: url })).toThrow(
      "KEYHEARTH_CAPTCHA_URL",
    );
  });

  test("shows no secret that is refused", () => {
    const secret = "short";
    const read = () => readConfig({ ...all, KEYHEARTH_CAPTCHA_SECRET: secret });
    expect(read).toThrow("KEYHEARTH_CAPTCHA_SECRET has a value that is not accepted");
    expect(read).not.toThrow(secret);
  });
});
