import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import {
  columns,
  join,
  jsonText,
  oneLine,
  paintFor,
  plain,
  plainLines,
  pointAt,
  progressOn,
  shown,
} from "./output.ts";

/** Spans of the words in the source. */
function at(source: string, ...words: string[]) {
  return words.map((word) => {
    const start = source.indexOf(word);
    return { start, end: start + word.length };
  });
}

describe("carets", () => {
  test("are under every place", () => {
    const source = "a == 1 && b == 2";
    expect(pointAt(source, at(source, "a == 1", "b == 2"))).toEqual([
      "a == 1 && b == 2",
      "^^^^^^    ^^^^^^",
    ]);
  });

  test("are below their own line of a source with several lines", () => {
    const source = "a == 1 &&\r\n\tb ==\n 2 && c";
    expect(pointAt(source, at(source, "b ==\n 2"))).toEqual([
      "a == 1 &&",
      "  b ==",
      "  ^^^^",
      " 2 && c",
      "^^",
    ]);
  });

  test("are after the end if something is missing there", () => {
    expect(pointAt("a &&", [{ start: 4, end: 4 }])).toEqual(["a &&", "    ^"]);
    expect(pointAt("a &&\n", [{ start: 4, end: 4 }])).toEqual(["a &&", "    ^"]);
    expect(pointAt("", [{ start: 0, end: 0 }])).toEqual(["", "^"]);
  });

  test("stay under their place in a long line, which is broken after a blank", () => {
    const source = `${"x == 1 && ".repeat(12)}wrong == 1`;
    const lines = pointAt(source, at(source, "wrong"));
    expect(lines.every((line) => line.length <= 96)).toBe(true);
    const caret = lines.at(-1) ?? "";
    expect(lines.at(-2)?.slice(caret.indexOf("^"), caret.length)).toBe("wrong");
    expect(lines.slice(0, -1).join(" ")).toBe(source);
  });

  test("leave out text that is far from them", () => {
    const source = `${"x == 1 && ".repeat(300)}wrong == 1 && ${"y == 1 && ".repeat(300)}true`;
    const lines = pointAt(source, at(source, "wrong"));
    expect(lines.length).toBeLessThanOrEqual(4);
    expect(lines[0]).toBe("...");
    const caret = lines[2] ?? "";
    expect(lines[1]?.slice(caret.indexOf("^"), caret.length)).toBe("wrong");
  });
});

test("text from a file cannot control the terminal or change the text direction", () => {
  expect(plain("a\u001b[31m\u0007\u009b\u202e\u2066\u2028\n\tb")).toBe(
    "a\\u{1b}[31m\\u{7}\\u{9b}\\u{202e}\\u{2066}\\u{2028}\\u{a}\tb",
  );
  expect(plainLines("a\u001b\nb")).toBe("a\\u{1b}\nb");
  expect(plain("grüße, мир, 鍵 🔑")).toBe("grüße, мир, 鍵 🔑");
  expect(oneLine("a\r\n  b\u0000", 40)).toBe("a b\\u{0}");
});

test("characters that show nothing are shown", () => {
  expect(plain("a\u200bb\u00adc\u3164d\u{e0061}")).toBe("a\\u{200b}b\\u{ad}c\\u{3164}d\\u{e0061}");
  expect(jsonText({ clause: "a\u200b\u{e0061}", name: "\u009b\u202e\n" })).toBe(
    '{\n  "clause": "a\\u200b\\udb40\\udc61",\n  "name": "\\u009b\\u202e\\n"\n}',
  );
  const value = { "\u007f\u200f": ["\u{e0061}", "grüße 🔑"] };
  expect(JSON.parse(jsonText(value))).toEqual(value);
});

describe("colours", () => {
  // The part of a terminal that decides about colours.
  const paint = paintFor(Object.assign(new PassThrough(), { isTTY: true }), true);

  test("work only if this program adds them", () => {
    const from = "\u001b[32mok\u001b[39m";
    expect(shown(`${paint("red", "x")}: ${from}\n${paint("bold", from)}`)).toBe(
      "\u001b[31mx\u001b[39m: \\u{1b}[32mok\\u{1b}[39m\n\u001b[1m\\u{1b}[32mok\\u{1b}[39m\u001b[22m",
    );
  });

  test("take no width", () => {
    const lines = columns([
      ["", "expected"],
      ["long name", paint(["bold", "red"], "x")],
    ]);
    expect(lines.map(shown)).toEqual([
      "           expected",
      "long name  \u001b[1m\u001b[31mx\u001b[39m\u001b[22m",
    ]);
  });
});

test("columns are as wide as their widest cell", () => {
  expect(
    columns([
      ["", "expected"],
      ["long name", "x"],
    ]),
  ).toEqual(["           expected", "long name  x"]);
});

test("words are joined as in a sentence", () => {
  expect([join([]), join(["a"]), join(["a", "b"]), join(["a", "b", "c"])]).toEqual([
    "",
    "a",
    "a and b",
    "a, b and c",
  ]);
});

test("progress is shown only on a terminal, and leaves nothing behind", () => {
  const written = (isTTY: boolean) => {
    const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY });
    // The parts of a terminal that progress uses.
    const progress = progressOn(stream as unknown as NodeJS.WriteStream);
    progress.show("50 of 100\u001b]0;x\u0007\n");
    progress.clear();
    return stream.read();
  };
  expect(written(false)).toBe(null);
  expect(written(true)).toBe("\r\u001b[K50 of 100\\u{1b}]0;x\\u{7}\\u{a}\r\u001b[K");
});

test("a stream that is not a terminal gets no colours", () => {
  expect(paintFor(new PassThrough(), true)("red", "x")).toBe("x");
});
