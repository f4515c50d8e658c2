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

const indexes = new Map<string, SearchIndex>();

port.on("message", (message: ToLibrary) => {
  if (message.kind === "load") {
    const records: Records = JSON.parse(new TextDecoder().decode(message.records));
    indexes.set(message.language, createIndex(records));
    return;
  }
  const { id, language, text, most } = message;
  const index = indexes.get(language);
  if (!index) return tell({ kind: "failed", id, message: `no index of ${language}` });
  try {
    tell({ kind: "found", id, passages: index.find(text).slice(0, most).map(passageOf) });
  } catch (error) {
    tell({ kind: "failed", id, message: error instanceof Error ? error.message : String(error) });
  }
});

function tell(message: FromLibrary) {
  port?.postMessage(message);
}

function passageOf({ entry: { titles, address, anchor, content } }: Found): Passage {
  return { titles, path: anchor === "" ? address : `${address}#${anchor}`, text: content };
}
