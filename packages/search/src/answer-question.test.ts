import { expect, test } from "vitest";
import { answerQuestion, MAX_QUESTION_LENGTH, passagesFor } from "./answer-question.ts";
import { conceptsOf } from "./concepts.ts";
import type { Page } from "./records.ts";
import { createIndex } from "./search-index.ts";
import { findIn } from "./sources.ts";

const filler: Page[] = Array.from({ length: 30 }, (_, at) => [
  `/other-${at}`,
  "default",
  "Other",
  [["", 1, `Subject ${at}`, `Nothing but filler about subject ${at}.`]],
]);

const backup: Page = [
  "/backup",
  "default",
  "Operations",
  [
    ["", 1, "Backup", "This page shows what to copy."],
    [
      "keys",
      2,
      "The keys",
      "back-up.sh\nRun this script as the signer’s user. Copy the root key to a medium that you take away. It never changes. The rest of this section explains each of the files, why nobody needs the others, and what to do when one of them is damaged on its way.\nFile\tCopy it\nroot-key\tonce",
    ],
  ],
];

const english = createIndex({
  language: "en",
  untranslated: [],
  pages: [
    ["/wallets", "default", "Concepts", [["", 1, "Wallets", "A wallet is a seed."]]],
    backup,
    ...filler,
  ],
});
const spanish = createIndex({
  language: "es",
  untranslated: ["/backup"],
  pages: [["/wallets", "default", "Conceptos", [["", 1, "Wallets", "Una wallet es una semilla."]]]],
});
const en = { index: english, base: "/" };
const es = { index: spanish, base: "/es/" };

test("an answer quotes the sentences about the question, with the section that they are from", () => {
  const [best] = answerQuestion([en], "How do I copy the root key?");
  expect(best).toEqual({
    titles: ["Operations", "Backup", "The keys"],
    url: "/backup#keys",
    language: "en",
    text: "Copy the root key to a medium that you take away. It never changes.",
  });
  expect(answerQuestion([en], "What is a wallet?").map(({ text }) => text)).toEqual([
    "A wallet is a seed.",
  ]);
});

test("what the pages say nothing about has no answer, even with one of their words in it", () => {
  for (const question of [
    "Who won the world cup?",
    "What is the weather like on Mount Everest?",
    "Which key opens the door of a Toyota?",
    "",
    "?!",
    "how do I",
  ]) {
    expect(answerQuestion([en], question), question).toEqual([]);
  }
});

test("a reader's own language comes first, and then the original of what it has no translation of", () => {
  expect(answerQuestion([es, en], "¿Qué es una wallet?").map(({ url }) => url)).toEqual([
    "/es/wallets",
  ]);
  expect(answerQuestion([es, en], "backup root-key")[0]).toMatchObject({
    url: "/backup#keys",
    language: "en",
  });
  // Alike in both, so that only the language decides.
  const page = (address: string): Page => [address, "", "", [["", 1, "4337", "4337."]]];
  const own = createIndex({ language: "es", untranslated: ["/b"], pages: [page("/a")] });
  const original = createIndex({ language: "en", untranslated: [], pages: [page("/b")] });
  const found = findIn(
    [
      { index: original, base: "/" },
      { index: own, base: "/es/" },
    ],
    "4337",
  );
  expect(found.map(({ url, languages }) => [url, languages])).toEqual([
    ["/es/a", ["es"]],
    ["/b", ["en", "es"]],
  ]);
  expect(findIn([en, es], "medium")[0]?.languages).toEqual(["en", "es"]);
});

test("a question is about its words that say something, and about what they are called here", () => {
  const words = (question: string) => conceptsOf(question, "en").map(({ word }) => word);
  expect(words("How do I import my seed phrase?")).toEqual(["import", "mnemonic"]);
  expect(words("Could you please tell me what that is?")).toEqual([]);
  expect(words("createWallet or create_wallet")).toEqual(["createwallet", "create", "wallet"]);
  expect(conceptsOf("¿Cómo cierro la sesión?", "es").map(({ word }) => word)).toEqual([
    "cierro",
    "sesion",
  ]);
});

test("what is behind the longest question is not read, so that no text takes long", () => {
  const start = performance.now();
  expect(passagesFor([en], `${"x ".repeat(MAX_QUESTION_LENGTH)}wallet`, { most: 5 })).toEqual([]);
  answerQuestion([en], "wallet key root backup copy seed ".repeat(10_000));
  expect(performance.now() - start).toBeLessThan(1000);
});
