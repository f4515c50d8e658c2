import { activities } from "@keyhearth/engine/activities/index";
import { nearest } from "@keyhearth/policy/errors";
import { queries } from "../queries/index.ts";

/** Names of endpoints are shorter. Strangers choose paths, and comparing takes time by their length. */
const MAX_NAME_LENGTH = 64;

/** What other products call the same thing. */
const verbs = new Map(
  Object.entries({
    get: ["get", "list", "fetch", "find", "read", "show"],
    create: ["create", "add", "new", "make", "register"],
    update: ["update", "edit", "change", "rename", "set"],
    delete: ["delete", "remove", "drop"],
  }).flatMap(([verb, words]) => words.map((word) => [word, verb] as const)),
);

/**
 * The paths of the endpoints that somebody may have meant, at most two: those whose name says the same in other words,
 * or else the one with the most similar name.
 */
export function nearestEndpoints(path: string): string[] {
  const name = path.split("/").findLast((part) => part !== "") ?? "";
  if (name.length > MAX_NAME_LENGTH) return [];
  known ??= endpoints();
  const same = known.byMeaning.get(meaningOf(name)) ?? [];
  const close = same.length > 0 ? undefined : nearest(name, known.paths.keys());
  const found = close === undefined ? same.toSorted(bySimilarity(name)) : [close];
  return found.slice(0, 2).flatMap((each) => known?.paths.get(each) ?? []);
}

/** Made at the first unknown path, because strangers may ask for many. */
let known: ReturnType<typeof endpoints> | undefined;

/** A query and a submission never have the same name. */
function endpoints() {
  const paths = new Map([
    ...queries.map(({ name }) => [name, `/public/v1/query/${name}`] as const),
    ...activities.map(({ name }) => [name, `/public/v1/submit/${name}`] as const),
  ]);
  const byMeaning = new Map<string, string[]>();
  for (const name of paths.keys()) {
    const meaning = meaningOf(name);
    byMeaning.set(meaning, [...(byMeaning.get(meaning) ?? []), name]);
  }
  return { paths, byMeaning };
}

/** `listWallets`, `get-wallet` and `get_wallets` ask for the same. */
function meaningOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const [verb = "", ...nouns] = words;
  return [verbs.get(verb) ?? verb, ...nouns.map((noun) => noun.replace(/s$/, ""))].join(" ");
}

/** One for one, and a list for many. */
function bySimilarity(name: string) {
  const isPlural = name.endsWith("s");
  return (a: string, b: string) =>
    Number(b.endsWith("s") === isPlural) - Number(a.endsWith("s") === isPlural);
}
