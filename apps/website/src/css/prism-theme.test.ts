import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { classOf } from "../theme/CodeBlock/Line/Token/class-of.ts";
import { ember } from "./prism-theme.ts";

const css = readFileSync(new URL("code.css", import.meta.url), "utf8");

test.each(ember.styles)("$types have a class with their style", ({ style }) => {
  const { color = "", fontStyle } = style;
  const [, rules] = new RegExp(`\\.${classOf(color)} \\{([^}]*)\\}`).exec(css) ?? [];
  expect(rules).toContain(`color: ${color};`);
  expect(rules?.includes("font-style")).toBe(fontStyle !== undefined);
});

test("a colour without a class is an error", () => {
  expect(() => classOf("red")).toThrow("no class has the colour red");
});
