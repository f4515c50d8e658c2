import { type Concept, conceptsOf, isSilent } from "./concepts.ts";
import { formsOf, type Heard, meaningsOf, shareOf } from "./heard.ts";
import type { Told } from "./search-index.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";
import { type FoundIn, inOrder, type Source } from "./sources.ts";
import { namesIn } from "./words.ts";

/** Answers questions in the words of the documentation: it quotes sentences, and makes none. */

/** A section that has to do with a question. */
export type Passage = {
  /** The category, the page, and the headings down to the section itself. */
  titles: string[];
  /** Of the page, with the anchor of the section. */
  url: string;
  language: string;
  content: string;
};

/** Sentences of a passage, as they stand there. */
export type Quote = Omit<Passage, "content"> & { text: string };

/** The best first. Nothing if the documentation has no answer. */
export type Answer = Quote[];

/** A question is longer than what is typed into a search, and shorter than a letter. */
export const MAX_QUESTION_LENGTH = 500;

/** So many passages are quoted, the first one with two sentences. */
const MOST_QUOTES = 3;

/** The part of a question that a passage has to be about to be quoted. */
const ENOUGH = 0.42;

/** The same for a model, which reads the passage and says that it has no answer. */
export const ENOUGH_FOR_MODEL = 0.25;

/** A passage that is much worse than the best one only distracts. */
const NEAR = 0.6;

/** How often a section has the words counts less than which of them it has. */
const OFTEN = 0.2;

/** A title that is all about the question is worth this much more. */
const TITLE = 0.4;

/** A page says what something is, and its sections say more. */
const PAGE = 0.15;

/** Of so many, the titles are compared with the question. */
const CANDIDATES = 80;

type Ranked = Passage & { rank: number; heard: Heard };

/** The sections that a question is about, the best first: of the first source's language, or without a translation into it. */
export function passagesFor(
  sources: readonly Source[],
  question: string,
  { most, enough = ENOUGH }: { most: number; enough?: number },
): Ranked[] {
  const language = sources[0]?.index.language ?? "";
  const concepts = conceptsOf(question.slice(0, MAX_QUESTION_LENGTH), language);
  const told = new Map(sources.map((source) => [source, source.index.ask(concepts)]));
  const size = sources.reduce((sum, { index }) => sum + index.size, 0);
  const weights = weightsOf(concepts, [...told.values()].flat(), size);
  const heard = new Map(
    sources.map(({ index }) => [
      index.language,
      { weights, meanings: meaningsOf(concepts, index.stem), stem: index.stem },
    ]),
  );
  const isEnough = ({ prominence, entry }: Told) =>
    entry.content !== "" && dot(prominence, weights) >= enough;
  return inOrder(sources, (source) => rankIn(source, told.get(source) ?? [], weights))
    .filter((each) => each.languages.includes(language) && isEnough(each))
    .slice(0, CANDIDATES)
    .map((found) => rankedOf(found, heard))
    .toSorted((one, other) => other.rank - one.rank)
    .slice(0, most);
}

/** What is rare says most about a question, and what no section has says that none has the answer. */
function weightsOf(concepts: Concept[], found: Told[], size: number): number[] {
  const rarities = concepts.map((_, at) => {
    const count = found.filter(({ prominence }) => (prominence[at] ?? 0) > 0).length;
    return Math.log(1 + size / (count + 0.5));
  });
  const total = rarities.reduce((sum, each) => sum + each, 0);
  return rarities.map((each) => each / total);
}

function rankIn(_: Source, found: Told[], weights: number[]): Told[] {
  const most = Math.max(...found.map(({ score }) => score));
  return found.map((each) => ({
    ...each,
    score: dot(each.prominence, weights) + OFTEN * (each.score / most),
  }));
}

function rankedOf(
  { entry, url, languages: [language = ""], score }: FoundIn<Told>,
  heard: ReadonlyMap<string, Heard>,
): Ranked {
  const its = heard.get(language);
  if (!its) throw new Error(`no source is in ${language}`);
  const title = entry.titles.at(-1) ?? "";
  const asked = askedPart(title, language, its) * (TITLE + (entry.level === 1 ? PAGE : 0));
  return {
    titles: distinct(entry.titles),
    url,
    language,
    content: entry.content,
    rank: score + asked * shareOf(entry.titles.slice(1).join(" "), its),
    heard: its,
  };
}

/** The part of a title's words that are asked for. */
function askedPart(title: string, language: string, { meanings, stem }: Heard): number {
  const words = namesIn(title)
    .flat()
    .filter((word) => !isSilent(word, language));
  if (words.length === 0) return 0;
  const asked = words.filter((word) => formsOf(word, stem).some((form) => meanings.has(form)));
  return asked.length / words.length;
}

function dot(some: readonly number[], others: readonly number[]): number {
  return some.reduce((sum, each, at) => sum + each * (others[at] ?? 0), 0);
}

/** A category may have the name of its first page. */
export function distinct(titles: string[]): string[] {
  return titles.filter((title, at) => title !== titles[at - 1]);
}

/** The best sentences of the best passages. */
export function answerQuestion(sources: readonly Source[], question: string): Answer {
  const passages = passagesFor(sources, question, { most: MOST_QUOTES });
  const least = NEAR * (passages[0]?.rank ?? 0);
  return passages
    .filter(({ rank }) => rank >= least)
    .map((passage, at) => {
      const { titles, url, language } = passage;
      return { titles, url, language, text: quoteOf(passage, at === 0 ? 2 : 1) };
    });
}

/** A short text is quoted whole. */
const SHORT_TEXT = 240;

/** A text begins with what it is about, and the answer of a question with the answer. */
const FIRST = 0.2;

/** A row of a table says less without the others. */
const ROW = 0.8;

function quoteOf({ titles, content, heard }: Ranked, most: number): string {
  const isAnswer = titles.at(-1)?.endsWith("?");
  const all = sentencesOf(content);
  const told = all.filter(({ kind }) => kind !== "label");
  const candidates = told.length > 0 ? told : all;
  const whole = candidates.map(({ text }) => text).join(" ");
  if (whole.length <= SHORT_TEXT && candidates.every(({ kind }) => kind !== "row")) return whole;
  const beginning = isAnswer ? 1 : FIRST;
  const worth = candidates.map((each, at) => worthOf(each, heard) + (at === 0 ? beginning : 0));
  const first = worth.indexOf(Math.max(...worth));
  const best = candidates[first];
  return candidates
    .slice(first, first + most)
    .filter(({ line }) => line === best?.line)
    .map(({ text }) => cut(text))
    .join(" ");
}

function worthOf({ text, kind }: Sentence, heard: Heard): number {
  return shareOf(text, heard) * (kind === "row" ? ROW : 1);
}

const LONGEST_SENTENCE = 360;

function cut(text: string): string {
  if (text.length <= LONGEST_SENTENCE) return text;
  return `${text.slice(0, text.lastIndexOf(" ", LONGEST_SENTENCE))} …`;
}
