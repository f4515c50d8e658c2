// The thread that reads the records and answers searches, so that typing never waits.

import { type Answer, answerQuestion } from "@keyhearth/search/answer-question";
import type { Records } from "@keyhearth/search/records";
import { createIndex } from "@keyhearth/search/search-index";
import type { Source } from "@keyhearth/search/sources";
import { answerSearch, type SearchAnswer, type SearchRequest } from "./answer.ts";

/** Where the records of a site are, and the base of its pages. */
export type Place = { file: string; base: string };

export type Question = {
  id: number;
  /** For a question of the assistant, the reader's language comes first. */
  places: Place[];
  requests?: SearchRequest[];
  question?: string;
};

export type Reply =
  | { id: number; answers?: SearchAnswer[]; quotes?: Answer }
  | { id: number; error: string };

const sources = new Map<string, Promise<Source>>();

/** Loads the records once, unless that failed. */
function sourceOf({ file, base }: Place): Promise<Source> {
  const known = sources.get(file) ?? load(file, base);
  sources.set(file, known);
  known.catch(() => sources.delete(file));
  return known;
}

async function load(file: string, base: string): Promise<Source> {
  const answer = await fetch(file);
  if (!answer.ok) throw new Error(`${file} answers ${answer.status}`);
  const records: Records = await answer.json();
  return { index: createIndex(records), base };
}

async function reply({ id, places, requests, question }: Question): Promise<Reply> {
  try {
    const found = await Promise.all(places.map(sourceOf));
    if (question !== undefined) return { id, quotes: answerQuestion(found, question) };
    return { id, answers: requests?.map((request) => answerSearch(found, request)) };
  } catch (error) {
    return { id, error: String(error) };
  }
}

self.addEventListener("message", async ({ data }: MessageEvent<Question>) => {
  self.postMessage(await reply(data));
});
