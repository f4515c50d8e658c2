import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { chapters } from "./chapters.ts";
import { anchorOf, type Requirement, testsOf, textOf } from "./requirement.ts";
import { titlesOfTests } from "./titles-of-tests.testing.ts";

// Holds the page about verification to the tests that it names, and to the list of what it has to answer.

const root = new URL("../../../../", import.meta.url);
const page = readFileSync(new URL("apps/website/docs/security/verification.mdx", root), "utf8");
const all = chapters.flatMap(({ requirements }) => requirements);

/** The requirements of ASVS 5.0 by their sections: those of level 1, and those of level 2. */
const standard = `
1.1: | 1 2
1.2: 1 2 3 4 5 | 6 7 8 9
1.3: 1 2 | 3 4 5 6 7 8 9 10 11
1.4: | 1 2 3
1.5: 1 | 2
2.1: 1 | 2 3
2.2: 1 2 | 3
2.3: 1 | 2 3 4
2.4: | 1
3.2: 1 2 |
3.3: 1 | 2 3 4
3.4: 1 2 | 3 4 5 6
3.5: 1 2 3 | 4 5
3.7: | 1 2
4.1: 1 | 2 3
4.2: | 1
4.3: | 1 2
4.4: 1 | 2 3 4
5.1: | 1
5.2: 1 2 | 3
5.3: 1 2 |
5.4: | 1 2 3
6.1: 1 | 2 3
6.2: 1 2 3 4 5 6 7 8 | 9 10 11 12
6.3: 1 2 | 3 4
6.4: 1 2 | 3 4
6.5: | 1 2 3 4 5
6.6: | 1 2 3
6.8: | 1 2 3 4
7.1: | 1 2 3
7.2: 1 2 3 4 |
7.3: | 1 2
7.4: 1 2 | 3 4 5
7.5: | 1 2
7.6: | 1 2
8.1: 1 | 2
8.2: 1 2 | 3
8.3: 1 |
8.4: | 1
9.1: 1 2 3 |
9.2: 1 | 2 3 4
10.1: | 1 2
10.2: | 1 2
10.3: | 1 2 3 4
10.4: 1 2 3 4 5 | 6 7 8 9 10 11
10.5: | 1 2 3 4 5
10.6: | 1 2
10.7: | 1 2 3
11.1: | 1 2
11.2: | 1 2 3
11.3: 1 2 | 3
11.4: 1 | 2 3 4
11.5: | 1
11.6: | 1
12.1: 1 | 2 3
12.2: 1 2 |
12.3: | 1 2 3 4
13.1: | 1
13.2: | 1 2 3 4 5
13.3: | 1 2
13.4: 1 | 2 3 4 5
14.1: | 1 2
14.2: 1 | 2 3 4
14.3: 1 | 2 3
15.1: 1 | 2 3
15.2: 1 | 2 3
15.3: 1 | 2 3 4 5 6 7
16.1: | 1
16.2: | 1 2 3 4 5
16.3: | 1 2 3 4
16.4: | 1 2 3
16.5: | 1 2 3
17.1: | 1
17.2: | 1 2 3 4
17.3: | 1 2
`;

const expected = standard
  .trim()
  .split("\n")
  .flatMap((line) => {
    const [section = "", ...levels] = line.split(/: ?|\|/);
    return levels.flatMap((numbers, index) =>
      numbers.split(" ").flatMap((each) => (each ? [`${section}.${each} ${index + 1}`] : [])),
    );
  });

/** Tests alone don't answer these, so they need a reason. */
const needsReason = all.filter(({ answer }) => !("tests" in answer) || "missing" in answer);

describe("the requirements", () => {
  test("are those of ASVS 5.0 at levels 1 and 2, each once, and the ten risks of APIs", () => {
    expect(expected).toHaveLength(253);
    const isRisk = ({ number }: Requirement) => number.startsWith("API");
    const answered = all.filter((each) => !isRisk(each));
    expect(answered.map(({ number, level }) => `${number} ${level}`).sort()).toEqual(
      expected.toSorted(),
    );
    expect(all.filter(isRisk).map(({ number }) => number)).toEqual(
      Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
    );
  });

  test("are in the chapter of their number, in order, and have an anchor of their own", () => {
    for (const { id, requirements } of chapters) {
      const numbers = requirements.map(({ number }) => number.replace(/^(\d)/, "V$1"));
      const chapter = id === "api" ? "API" : `${id.toUpperCase()}.`;
      expect(numbers.filter((number) => !number.startsWith(chapter))).toEqual([]);
      const inOrder = numbers.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
      expect(numbers).toEqual(inOrder);
    }
    expect(new Set(all.map(anchorOf)).size).toBe(all.length);
  });

  test("are all on the page, below the titles of their chapters", () => {
    const headings = [
      ...page.matchAll(
        /^## (.+) \{\/\* #([\w-]+) \*\/\}\n(?:[^#<]*)<Requirements chapter="(\w+)"/gm,
      ),
    ];
    expect(headings.map(([, title, id, chapter]) => ({ title, id, chapter }))).toEqual(
      chapters.map(({ title, id }) => ({ title, id, chapter: id })),
    );
  });
});

describe("an answer", () => {
  test("is never empty: it names tests or gives a reason", () => {
    for (const { number, asks, answer } of all) {
      expect(asks.trim(), number).not.toBe("");
      if ("tests" in answer && answer.tests) expect(answer.tests.length, number).toBeGreaterThan(0);
      for (const { names } of testsOf(answer)) expect(names.length, number).toBeGreaterThan(0);
      if ("pages" in answer && answer.pages) expect(answer.pages.length, number).toBeGreaterThan(0);
    }
    const without = needsReason.filter(({ answer }) => !textOf(answer)?.trim());
    expect(without.map(({ number }) => number)).toEqual([]);
  });

  test("names only tests that exist", () => {
    const titles = new Map<string, Set<string>>();
    const wrong: string[] = [];
    for (const { number, answer } of all) {
      for (const { file, names } of testsOf(answer)) {
        const path = new URL(file, root);
        expect(existsSync(path), `${number}: ${file}`).toBe(true);
        const known = titles.get(file) ?? titlesOfTests(readFileSync(path, "utf8"));
        titles.set(file, known);
        wrong.push(
          ...names.filter((name) => !known.has(name)).map((name) => `${number}: ${file}: ${name}`),
        );
      }
    }
    expect(wrong).toEqual([]);
    expect(titles.size).toBeGreaterThan(100);
  });

  test("refers only to requirements that there are", () => {
    const numbers = new Set(all.map(({ number }) => number));
    const referred = all.flatMap(({ answer }) => [
      ...(textOf(answer) ?? "").matchAll(/(?<![\w.])\d{1,2}\.\d{1,2}\.\d{1,2}(?![\w.]\d)/g),
    ]);
    expect(referred.length).toBeGreaterThan(10);
    expect(referred.map(([number]) => number).filter((number) => !numbers.has(number))).toEqual([]);
  });
});

describe("titles of tests", () => {
  test("are those of their groups and their own, without what differs from case to case", () => {
    const source = `
      describe.each(["a"])("a %s", () => {
        test("works", () => {});
        describe("within", () => {
          test.each([1])(
            "takes %d of $name",
            () => {},
          );
        });
      });
      test.runIf(true)(\`ends after \${times} times\`, { timeout: 1 }, () => {});
      expect("a text", "another");
    `;
    expect([...titlesOfTests(source)]).toEqual([
      "a … works",
      "a … within takes … of …",
      "ends after … times",
    ]);
  });
});
