import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { distinct, ENOUGH_FOR_MODEL, passagesFor } from "@keyhearth/search/answer-question";
import type { Records } from "@keyhearth/search/records";
import { createIndex, type SearchIndex } from "@keyhearth/search/search-index";
import { type FoundIn, findIn, type Source } from "@keyhearth/search/sources";
import type { FromLibrary, Passage, ToLibrary } from "./library/messages.ts";

/** The library's thread: it has an index of each language that somebody asked for. */

const port = parentPort;
if (!port) throw new Error("the library runs as a worker thread");

// On Linux this is about this thread alone: signatures go first on a busy machine.
if (process.platform === "linux") setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** By the base of their pages: `/`, or `/es/`. */
const indexes = new Map<string, SearchIndex>();

port.on("message", (message: ToLibrary) => {
  if (message.kind === "load") {
    const records: Records = JSON.parse(new TextDecoder().decode(message.records));
    indexes.set(message.base, createIndex(records));
    tell({ kind: "loaded", base: message.base });
    return;
  }
  const { id, bases, text, most } = message;
  try {
    const sources = bases.map((base) => ({ base, index: indexOf(base) }));
    const passages =
      message.kind === "ask" ? ask(sources, text, most) : find(sources, text).slice(0, most);
    tell({ kind: "found", id, passages });
  } catch (error) {
    tell({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
  }
});

/** The best of the reader's own language, and of pages that it has no translation of. */
function find(sources: Source[], text: string): Passage[] {
  const language = sources[0]?.index.language ?? "";
  return findIn(sources, text)
    .filter(({ languages }) => languages.includes(language))
    .map(passageOf);
}

function indexOf(base: string): SearchIndex {
  const index = indexes.get(base);
  if (!index) throw new Error(`there is no index of ${base}`);
  return index;
}

function tell(message: FromLibrary) {
  port?.postMessage(message);
}

function passageOf({ entry: { titles, content }, url }: FoundIn): Passage {
  return { titles: distinct(titles), path: url, text: content };
}

function ask(sources: Source[], text: string, most: number): Passage[] {
  return passagesFor(sources, text, { most, enough: ENOUGH_FOR_MODEL }).map(
    ({ titles, url, content }) => {
      return { titles, path: url, text: content };
    },
  );
}
