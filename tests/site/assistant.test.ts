import { answerQuestion } from "@keyhearth/search/answer-question";
import type { Records } from "@keyhearth/search/records";
import { createIndex } from "@keyhearth/search/search-index";
import { describe, expect, test } from "vitest";
import { type Asked, outside, questions } from "./assistant-questions.ts";
import { read } from "./built-pages.ts";

// What the assistant answers without a model, from the records of the built site.

const recordsOf = (path: string): Records => JSON.parse(read(path));
const english = { index: createIndex(recordsOf("search.json")), base: "/" };
const spanish = { index: createIndex(recordsOf("es/search.json")), base: "/es/" };
const sources = { en: [english], es: [spanish, english] };

const answer = ({ question, language }: Pick<Asked, "question" | "language">) =>
  answerQuestion(sources[language], question);

describe("the assistant without a model", () => {
  test("cites a right section for at least 55 of 60 questions, and mostly first", () => {
    const wrong = questions.filter((asked) => {
      return !answer(asked).some(({ url }) => asked.cites.includes(url));
    });
    expect(wrong.length, JSON.stringify(wrong)).toBeLessThanOrEqual(5);
    const first = questions.filter((asked) => asked.cites.includes(answer(asked)[0]?.url ?? ""));
    expect(first.length).toBeGreaterThanOrEqual(48);
  });

  test("knows no answer to what the documentation is not about", () => {
    const answered = outside.filter((asked) => answer(asked).length > 0);
    expect(answered).toEqual([]);
  });

  test("quotes sentences of the section that it cites, word for word", () => {
    const contents = new Map<string, string>();
    for (const [base, path] of [
      ["", "search.json"],
      ["/es", "es/search.json"],
    ] as const) {
      for (const [address, , , sections] of recordsOf(path).pages) {
        for (const [anchor, , , content] of sections) {
          const place = base === "" ? address : `${base}${address}`.replace(/(?<=.)\/$/, "");
          contents.set(anchor === "" ? place : `${place}#${anchor}`, lettersOf(content));
        }
      }
    }
    for (const asked of questions) {
      const quotes = answer(asked);
      expect(quotes.length).toBeLessThanOrEqual(3);
      for (const { url, text } of quotes) {
        expect(text, asked.question).not.toBe("");
        expect(text.length).toBeLessThan(900);
        for (const sentence of text.replace(/ …$/, "").split(/(?<=[.!?]) /)) {
          expect(contents.get(url), `${asked.question}: ${url}`).toContain(lettersOf(sentence));
        }
      }
    }
  });

  test("answers within 50 ms of this thread's time", () => {
    const slow = questions.filter((asked) =>
      [1, 2, 3].every(() => {
        const start = process.threadCpuUsage();
        answer(asked);
        const { user, system } = process.threadCpuUsage();
        return user + system - start.user - start.system > 50_000;
      }),
    );
    expect(slow).toEqual([]);
  });
});

/** What is between cells and lines is shown in other signs. */
function lettersOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}
