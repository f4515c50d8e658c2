import { release } from "@keyhearth/outbound/release";
import { type Environment, given } from "./variables.ts";

/** A setting that still works, and that a later release removes. */
export type Deprecation = {
  name: string;
  /** The release that deprecated it. */
  since: string;
  /** The release that no longer has it: at least two minor releases later. */
  removedIn: string;
  /** What to do instead, such as `set KEYHEARTH_PUBLIC_URL`. */
  instead: string;
};

/** Everything that is deprecated. The site shows this list, and a start warns about what it uses. */
export const deprecations: readonly Deprecation[] = [];

/** Sentences about deprecated variables that are set. */
export function deprecationWarnings(
  env: Environment,
  list: readonly Deprecation[] = deprecations,
): string[] {
  return list
    .filter(({ name }) => given(env, name) !== undefined)
    .map(
      ({ name, since, removedIn, instead }) =>
        `${name} is deprecated since ${since} and will be removed in ${removedIn}; ${instead}`,
    );
}

/** What should no longer be there in this release. */
export function overdue(
  list: readonly Deprecation[] = deprecations,
  present: string = release,
): Deprecation[] {
  return list.filter(({ removedIn }) => compareReleases(present, removedIn) >= 0);
}

/** Negative if the first is the older one. */
export function compareReleases(one: string, other: string): number {
  return one.localeCompare(other, "en", { numeric: true });
}
