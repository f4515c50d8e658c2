import { constants, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import type { Records } from "@keyhearth/search/records";
import { createIndex, type Found, type SearchIndex } from "@keyhearth/search/search-index";
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
    return;
  }
  const { id, bases, text, most } = message;
  try {
    tell({ kind: "found", id, passages: find(bases, text).slice(0, most) });
  } catch (error) {
    tell({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
  }
});

/** The best of the reader's own language, and of pages that it has no translation of. */
function find([base = "/", ...others]: string[], text: string): Passage[] {
  const own = indexOf(base);
  const found = own.find(text).map((each) => ({ ...each, base }));
  for (const other of others) {
    const original = indexOf(other)
      .find(text)
      .map((each) => ({ ...each, base: other }));
    found.push(...original.filter(({ entry }) => own.untranslated.has(entry.address)));
  }
  return found.sort((a, b) => b.score - a.score).map(passageOf);
}

function indexOf(base: string): SearchIndex {
  const index = indexes.get(base);
  if (!index) throw new Error(`there is no index of ${base}`);
  return index;
}

function tell(message: FromLibrary) {
  port?.postMessage(message);
}

function passageOf({
  entry: { titles, address, anchor, content },
  base,
}: Found & { base: string }): Passage {
  const path = `${base}${address.slice(1)}`;
  return {
    titles: titles.filter((title, i) => title !== titles[i - 1]),
    path: anchor === "" ? path : `${path}#${anchor}`,
    text: content,
  };
}
