import { expect, test } from "vitest";
import { createPositions } from "./positions.ts";

const at = (lsn: string) => ({
  line: "7713939493308101034/0000000A",
  mark: "6f0e4c1c-3b7a-4a52-9d0e-0f1a2b3c4d5e",
  lsn,
});

/** A primary whose answers are given one by one. */
function slowPrimary() {
  const asked: { text: string; answer(rows: Record<string, unknown>[]): void }[] = [];
  const read = (text: string) =>
    new Promise<Record<string, unknown>[]>((answer) => void asked.push({ text, answer }));
  return { asked, find: createPositions(read) };
}

test("an answer counts only for those who came before it was asked for, and many share it", async () => {
  const { asked, find } = slowPrimary();
  const first = find();
  const others = [find(), find(), find()];
  expect(asked).toHaveLength(1);
  asked[0]?.answer([at("0/10")]);
  expect(await first).toEqual(at("0/10"));
  await expect.poll(() => asked.length).toBe(2);
  const last = find();
  asked[1]?.answer([at("0/20")]);
  expect(await Promise.all(others)).toEqual([at("0/20"), at("0/20"), at("0/20")]);
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.answer([at("0/30")]);
  expect(await last).toEqual(at("0/30"));
});

test("a primary that has left no mark yet leaves one, and is asked again", async () => {
  const { asked, find } = slowPrimary();
  const found = find();
  asked[0]?.answer([{ ...at("0/10"), mark: null }]);
  await expect.poll(() => asked.length).toBe(2);
  expect(asked[1]?.text).toContain("INSERT INTO database_lines");
  asked[1]?.answer([]);
  await expect.poll(() => asked.length).toBe(3);
  asked[2]?.answer([at("0/20")]);
  expect(await found).toEqual(at("0/20"));
});

test("a failure is of those who waited for it, and the next are asked for again", async () => {
  let asked = 0;
  const find = createPositions(async () => {
    asked += 1;
    if (asked === 1) throw new Error("lost");
    return [at("0/10")];
  });
  const outcomes = await Promise.allSettled([find(), find()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});

test.each([
  { ...at("0/10"), lsn: "0/10'; DROP TABLE activities; --" },
  { ...at("0/10"), line: "1/1' OR '1" },
  { ...at("0/10"), mark: "'" },
])("what has another form becomes no part of a statement: %o", async (row) => {
  await expect(createPositions(async () => [row])()).rejects.toThrow("has another form");
});
