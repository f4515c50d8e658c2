import type { Answer } from "@keyhearth/search/answer-question";
import type { SearchAnswer, SearchRequest } from "./answer.ts";
import type { SearchSite } from "./search-site.ts";
import type { Place, Question, Reply } from "./worker.ts";

type Answered = Exclude<Reply, { error: string }>;
type Waiting = { resolve: (answered: Answered) => void; reject: (error: Error) => void };

let worker: Worker | undefined;
let asked = 0;
const waiting = new Map<number, Waiting>();

/** Asks the thread that has the records of this site. */
export async function searchLocally(
  requests: SearchRequest[],
  site: SearchSite,
): Promise<SearchAnswer[]> {
  const { answers = [] } = await ask({ places: placesOf(requests, site), requests });
  return answers;
}

/** What the pages say about a question. An empty one has the thread load the records, so that the next is answered at once. */
export async function answerLocally(
  question: string,
  { language, site }: { language: string; site: SearchSite },
): Promise<Answer> {
  const own = site.languages.filter((each) => each.language === language);
  const original = site.languages.filter((each) => each.isOriginal);
  const places = [...new Set([...own, ...original])].map(({ base }) => placeOf(base));
  const { quotes = [] } = await ask({ places, question });
  return quotes;
}

function ask(question: Omit<Question, "id">): Promise<Answered> {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    startedWorker().postMessage({ id, ...question } satisfies Question);
  });
}

function startedWorker(): Worker {
  if (worker) return worker;
  const started = new Worker(new URL("./worker.ts", import.meta.url), { name: "search" });
  started.addEventListener("message", ({ data }: MessageEvent<Reply>) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if ("error" in data) reject?.(new Error(data.error));
    else resolve?.(data);
  });
  // Its script could not be loaded: the next search tries again.
  started.addEventListener("error", () => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error("the search cannot start"));
    waiting.clear();
  });
  worker = started;
  return started;
}

/** The records that the filters ask for, with the original for pages that have no translation. */
function placesOf(requests: SearchRequest[], site: SearchSite): Place[] {
  const filters = requests.flatMap(({ facetFilters = [] }) => facetFilters).flat();
  const valuesOf = (facet: string) =>
    filters.filter((one) => one.startsWith(`${facet}:`)).map((one) => one.slice(facet.length + 1));
  const languages = valuesOf("language");
  const tags = valuesOf("docusaurus_tag");
  const kept = site.kept.filter(({ tag }) => tags.length === 0 || tags.includes(tag));
  const isCurrent = tags.length === 0 || tags.some((tag) => !kept.some((one) => one.tag === tag));
  const current = site.languages.filter(
    ({ language, isOriginal }) =>
      isOriginal || languages.length === 0 || languages.includes(language),
  );
  return [...(isCurrent ? current : []), ...kept].map(({ base }) => placeOf(base));
}

/** The thread has no page whose address it could complete. */
function placeOf(base: string): Place {
  const urlOf = (path: string) => new URL(path, window.location.origin).href;
  return { base: urlOf(base), file: urlOf(`${base}search.json`) };
}
