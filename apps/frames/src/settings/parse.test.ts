import { describe, expect, test } from "vitest";
import { parseSettings } from "./parse.ts";
import { isValue, type Property, properties } from "./properties.ts";

const accepted: Record<Property, readonly string[]> = {
  padding: ["0px", "10px 5% 1rem 2em"],
  margin: ["4px 8px"],
  borderWidth: ["1px", "1px 2px 3px 4px"],
  borderRadius: ["50%", "8px 8px"],
  borderStyle: ["none", "dashed", "outset"],
  borderColor: ["transparent", "#abc", "#a1b2c3d4"],
  color: ["inherit", "rgb(1, 2, 3)", "rgba(1, 2, 3, 0.5)", "hsl(210, 50%, 40%)"],
  backgroundColor: ["initial", "#ffffff", "hsla(210, 50%, 40%, 0.5)"],
  labelColor: ["#555b64"],
  fontSize: ["16px", "2vmin"],
  width: ["auto", "100%"],
  height: ["110px"],
  maxWidth: ["none", "90vw"],
  maxHeight: ["none", "50vh"],
  lineHeight: ["normal", "1.5rem", "20px"],
  fontWeight: ["bold", "600"],
  fontFamily: ["Inter, 'Helvetica Neue', sans-serif"],
  boxShadow: ["none", "0px 1px 2px #0000001a", "1px 2px 3px 4px rgba(0, 0, 0, 0.5) inset"],
  textAlign: ["center"],
  overflowWrap: ["anywhere"],
  wordWrap: ["break-word"],
  resize: ["none", "vertical"],
};

/** What would load something, end a declaration, hide behind a comment, or is CSS that nobody listed. */
const hostile = [
  "",
  "url(https://evil.example/?x)",
  "red; background-image: url(https://evil.example)",
  "expression(alert(1))",
  "var(--x)",
  "calc(1px + 1px)",
  "</style><script>alert(1)</script>",
  "10px/**/",
  "1px 1px 1px 1px 1px",
  "-1px",
  "\\75rl(x)",
  '"',
  "#ABC",
  "red",
  "10px\n}",
];

describe("a style", () => {
  test.each(properties)("%s takes what it should, and nothing else", (property) => {
    for (const value of accepted[property])
      expect([value, isValue(property, value)]).toEqual([value, true]);
    // A font may have almost any name, which stays inside of one property.
    const taken = hostile.filter((value) => isValue(property, value));
    const harmless = [
      "url(https://evil.example/?x)",
      "expression(alert(1))",
      "var(--x)",
      "calc(1px + 1px)",
      "10px/**/",
      "1px 1px 1px 1px 1px",
      "-1px",
      "#ABC",
      "red",
      "10px\n}",
    ];
    expect(taken.filter((value) => property !== "fontFamily" || !harmless.includes(value))).toEqual(
      [],
    );
  });
});

const text = (value: unknown) => JSON.stringify(value);

test("settings are read as they were meant, trimmed", () => {
  const settings = { styles: { color: " #000 " }, passphraseStyles: {}, enablePassphrase: true };
  expect(parseSettings(text(settings), "import")).toEqual({
    ...settings,
    styles: { color: "#000" },
  });
  expect(parseSettings("{}", "export")).toEqual({
    styles: {},
    passphraseStyles: {},
    enablePassphrase: false,
  });
  expect(parseSettings(text({ styles: { labelColor: "#000" } }), "import").styles).toEqual({
    labelColor: "#000",
  });
});

test.each([
  ["no JSON", "{", "the settings are no JSON"],
  ["a list", "[]", "the settings must be an object"],
  ["another member", text({ style: {} }), "the settings have an unknown member"],
  ["a text as styles", text({ styles: "color: red" }), "styles must be an object"],
  ["deep styles", text({ styles: { color: { a: 1 } } }), "the settings are no JSON"],
  [
    "another property",
    text({ styles: { backgroundImage: "none" } }),
    "styles has an unknown property",
  ],
  ["one of every object", text({ styles: { toString: "#000" } }), "styles has an unknown property"],
  ["a member twice", '{"styles":{"color":"#000","color":"#fff"}}', "the settings are no JSON"],
  ["a prototype", '{"styles":{"__proto__":"#000"}}', "the settings are no JSON"],
  ["a number", text({ styles: { width: 300 } }), "styles.width has a value"],
  [
    "one wrong of two",
    text({ styles: { color: "#000", width: "wide" } }),
    "styles.width has a value",
  ],
  [
    "a wrong passphrase's",
    text({ passphraseStyles: { width: "x" } }),
    "passphraseStyles.width has",
  ],
  [
    "a text as a switch",
    text({ enablePassphrase: "true" }),
    "enablePassphrase must be true or false",
  ],
])("settings with %s are refused whole", (_, settings, refusal) => {
  expect(() => parseSettings(settings, "import")).toThrow(refusal);
});

test("the page without labels takes no colour for them", () => {
  const settings = text({ styles: { labelColor: "#000" } });
  expect(() => parseSettings(settings, "export")).toThrow("styles has an unknown property");
});
