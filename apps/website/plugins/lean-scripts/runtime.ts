/**
 * The object of the hashes of all files, by the numbers of their chunks: `({1:"2e0fba44",2:"bc817213"})[e]`, or with more
 * space in a build that is not made smaller.
 */
const HASHES = /\(?\{((?:"?\d+"?:\s*"[0-9a-f]{7,8}",?\s*){2,})\}\)?\[(\w+)\]/g;

/**
 * The script that loads the others, with the hashes as one list in the order of the numbers, which gzip makes smaller than
 * an object with each number. Every page carries it. Few hashes of many numbers stay as they are.
 *
 * @throws if there is no such object.
 */
export function withListedHashes(source: string): string {
  let isFound = false;
  const listed = source.replace(HASHES, (all, entries: string, chunk: string) => {
    const hashes: string[] = [];
    for (const [, number, hash = ""] of entries.matchAll(/(\d+)"?:\s*"(\w+)"/g)) {
      hashes[Number(number)] = hash;
    }
    if (hashes.filter(Boolean).length < hashes.length / 2) return all;
    isFound = true;
    return `${JSON.stringify(Array.from(hashes, (hash = "") => hash).join(" "))}.split(" ")[${chunk}]`;
  });
  if (!isFound) throw new Error("the script that loads the others has no object of their hashes");
  return listed;
}

const SEARCH = "document.getElementsByTagName(";

/**
 * The script that loads the others, which looks for a script or sheet that is there already only where they are: in the
 * head. Such a search goes through all elements, and the reference of the API has twelve thousand.
 *
 * @throws if it searches nowhere.
 */
export function searchingHead(source: string): string {
  if (!source.includes(SEARCH))
    throw new Error("the script that loads the others searches nowhere");
  return source.replaceAll(SEARCH, "document.head.getElementsByTagName(");
}
