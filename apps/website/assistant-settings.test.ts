import { expect, test } from "vitest";
import { readAssistantSettings } from "./assistant-settings.ts";

test("the assistant is on, with the texts of the pages' language, unless a build says otherwise", () => {
  expect(readAssistantSettings({})).toEqual({ title: "", label: "" });
  expect(readAssistantSettings({ KEYHEARTH_SITE_ASSISTANT: "off" })).toBeNull();
  expect(
    readAssistantSettings({
      KEYHEARTH_SITE_ASSISTANT: "on",
      KEYHEARTH_SITE_ASSISTANT_TITLE: " Acme wallets: questions ",
      KEYHEARTH_SITE_ASSISTANT_LABEL: "Ask Acme",
    }),
  ).toEqual({ title: "Acme wallets: questions", label: "Ask Acme" });
});

test("what it cannot be is refused in a sentence", () => {
  expect(() => readAssistantSettings({ KEYHEARTH_SITE_ASSISTANT: "no" })).toThrow(
    "KEYHEARTH_SITE_ASSISTANT is `no`: write on or off",
  );
  const label = (text: string) => () =>
    readAssistantSettings({ KEYHEARTH_SITE_ASSISTANT_LABEL: text });
  expect(label("x".repeat(31))).toThrow(
    "KEYHEARTH_SITE_ASSISTANT_LABEL is not one line of at most 30 characters: write a shorter text",
  );
  expect(label("two\nlines")).toThrow("one line");
  expect(label("a\u202eb")).toThrow("one line");
});
