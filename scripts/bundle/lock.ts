import { dirname } from "node:path";

type Entry = {
  name?: string;
  version: string;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  [member: string]: unknown;
};
/** What npm locks, by its place: `packages` of a `package-lock.json`. */
export type Locked = Record<string, Entry>;

/**
 * The second implementation of `secp256k1`, which nothing loads: ours is `primitives/shared.ts`. It would bring seven
 * packages. npm cannot leave a dependency out, so it installs there what `secp256k1` needs anyway.
 */
const STAND_INS: Record<string, string> = { elliptic: "node-gyp-build" };

/** Only what an installation reads. The other members say how the root's lock reaches a package. */
const members = [
  "name",
  "version",
  "resolved",
  "integrity",
  "hasInstallScript",
  "license",
  "dependencies",
  "optionalDependencies",
  "engines",
  "cpu",
  "os",
  "libc",
  "bin",
];

export type Installation = {
  /** As the manifest of the bundle has them. */
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  overrides: Record<string, string>;
  /** As its `package-lock.json` has them. */
  locked: Locked;
};

/** What the packages need, out of the root's lock: the same versions, sources and integrity. */
export function installationOf(
  lock: Locked,
  names: readonly string[],
  optionalNames: readonly string[] = [],
): Installation {
  const locked: Locked = {};
  const sources: Record<string, string> = {};
  const dependencies: Record<string, string> = {};
  const optionalDependencies: Record<string, string> = {};
  const overrides: Record<string, string> = {};

  function add(from: string, name: string, isOptional: boolean) {
    const source = placeOf(lock, from, STAND_INS[name] ?? name);
    const entry = source === undefined ? undefined : lock[source];
    if (source === undefined || !entry) {
      if (isOptional) return;
      throw new Error(`package-lock.json does not have ${name}, which ${from} needs`);
    }
    if (STAND_INS[name]) overrides[name] = `npm:${STAND_INS[name]}@${entry.version}`;
    const place = STAND_INS[name]
      ? `node_modules/${name}`
      : source.slice(source.indexOf("node_modules/"));
    if ((sources[place] ?? source) !== source) {
      throw new Error(`${sources[place]} and ${source} would be in one place`);
    }
    const known = locked[place];
    if (known && (isOptional || !known.optional)) return;
    sources[place] = source;
    locked[place] = {
      ...(STAND_INS[name] && { name: STAND_INS[name] }),
      ...pick(entry),
      ...(isOptional && { optional: true }),
    };
    for (const each of Object.keys(entry.dependencies ?? {})) add(source, each, isOptional);
    for (const each of Object.keys(entry.optionalDependencies ?? {})) add(source, each, true);
  }

  for (const name of names) {
    const user = Object.keys(lock).find(
      (place) => /^(apps|packages)\/[^/]+$/.test(place) && lock[place]?.dependencies?.[name],
    );
    if (user === undefined) throw new Error(`no workspace depends on ${name}`);
    add(user, name, false);
    dependencies[name] = locked[`node_modules/${name}`]?.version ?? "";
  }
  for (const name of optionalNames) {
    add("", name, true);
    optionalDependencies[name] = locked[`node_modules/${name}`]?.version ?? "";
  }
  return { dependencies, optionalDependencies, overrides, locked: sorted(locked) };
}

/** As Node.js looks for it: in the nearest `node_modules`. */
function placeOf(lock: Locked, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = folder === "." ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock[place]) return place;
    if (folder === ".") return undefined;
  }
}

function pick(entry: Entry): Entry {
  const kept = members.filter((member) => entry[member] !== undefined);
  return { version: entry.version, ...Object.fromEntries(kept.map((each) => [each, entry[each]])) };
}

function sorted(locked: Locked): Locked {
  return Object.fromEntries(Object.entries(locked).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
