import { describe, expect, test } from "vitest";
import { makeEnvironment } from "../environment.ts";
import { compile } from "../evaluate.ts";
import { MAX_TRACE, trace } from "./trace.ts";

const environment = makeEnvironment({
  wallet: { id: "w1", label: "hot" },
  wallets: [{ id: "a" }, { id: "b" }],
  eth: { tx: { to: "0xAb", data: "0xa9059cbb", value: 5 } },
});

/** Each step as its text, its value and, inside predicates, the elements. */
function lines(source: string) {
  const { steps } = trace(compile("condition", source), environment);
  return steps.map(({ start, end, depth, value, error, bindings }) => {
    const elements = bindings ? ` with ${JSON.stringify(bindings)}` : "";
    return `${"  ".repeat(depth)}${source.slice(start, end)} -> ${value ?? error}${elements}`;
  });
}

describe("a trace", () => {
  test("of a false `&&` names the sides that are false", () => {
    expect(lines("wallet.id == 'w2' && eth.tx.value < 10 && (wallet.label == 'x')")).toEqual([
      "wallet.id == 'w2' && eth.tx.value < 10 && (wallet.label == 'x') -> false",
      "  wallet.id == 'w2' -> false",
      "    wallet.id -> 'w1'",
      "  wallet.label == 'x' -> false",
      "    wallet.label -> 'hot'",
    ]);
  });

  test("of a true `||` names the sides that are true, and of a false `||` all sides", () => {
    expect(lines("eth.tx.to == '0xaB' || wallet.id == 'x'")).toEqual([
      "eth.tx.to == '0xaB' || wallet.id == 'x' -> true",
      "  eth.tx.to == '0xaB' -> true",
      "    eth.tx.to -> '0xAb'",
    ]);
    expect(lines("1 > 2 || 2 > 3")).toEqual([
      "1 > 2 || 2 > 3 -> false",
      "  1 > 2 -> false",
      "  2 > 3 -> false",
    ]);
  });

  test("of an error leads to the part that has no value, and what it was about", () => {
    expect(lines("true || eth.tx.data[0..40] == '0x'")).toEqual([
      "true || eth.tx.data[0..40] == '0x' -> position 40 is outside the text",
      "  eth.tx.data[0..40] == '0x' -> position 40 is outside the text",
      "    eth.tx.data[0..40] -> position 40 is outside the text",
      "      eth.tx.data -> '0xa9059cbb'",
    ]);
  });

  test("of a quantifier names the elements it rests on", () => {
    expect(lines("wallets.all(w, w.id == 'a')")).toEqual([
      "wallets.all(w, w.id == 'a') -> false",
      "  wallets -> [{ id: 'a' }, { id: 'b' }]",
      `  w.id == 'a' -> false with {"w":"{ id: 'b' }"}`,
      `    w.id -> 'b' with {"w":"{ id: 'b' }"}`,
    ]);
  });

  test("of nested elements shows both", () => {
    const [, , , , step] = trace(
      compile("condition", "[1, 2].any(a, [3, 4].any(b, a == 2 && b == 4))"),
      environment,
    ).steps.filter(({ bindings }) => bindings);
    expect(step?.bindings).toEqual({ a: "2", b: "4" });
  });

  test("is cut if it would grow without end, but its value is not", () => {
    const numbers = `[${Array.from({ length: 90 }, (_, i) => i).join(", ")}]`;
    const source = `${numbers}.all(a, ${numbers}.all(b, a < 90 && b < 90))`;
    const { value, steps, isCut } = trace(compile("condition", source), environment);
    expect(value).toBe(true);
    expect(isCut).toBe(true);
    expect(steps.length).toBe(MAX_TRACE);
  });
});
