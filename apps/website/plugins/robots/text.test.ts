import { expect, test } from "vitest";
import { robotsText } from "./text.ts";

test("crawlers may read everything, and find the sitemap of each language", () => {
  const languages = { defaultLocale: "en", locales: ["en", "es"] };
  expect(robotsText("https://keys.example.com", languages)).toBe(
    [
      "User-agent: *",
      "Allow: /",
      "",
      "Sitemap: https://keys.example.com/sitemap.xml",
      "Sitemap: https://keys.example.com/es/sitemap.xml",
      "",
    ].join("\n"),
  );
});
