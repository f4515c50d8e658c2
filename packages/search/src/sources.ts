import type { Found, SearchIndex } from "./search-index.ts";

/** A site, or a version of one, whose pages are found below an address. */
export type Source = { index: SearchIndex; base: string };

export type FoundIn<T = Found> = T & {
  /** Of the page, with the anchor of the section. */
  url: string;
  /** Of the page itself, and of those whose readers get it because theirs has no translation of it. */
  languages: string[];
};

/** A reader's own language comes before the original of what is not translated. */
const OWN_LANGUAGE = 1.2;

type Scored = Pick<Found, "entry" | "score">;

/**
 * What is found in several sources, the best first. A page of the original that another source has no translation of is
 * found for the readers of both.
 */
export function findIn(sources: readonly Source[], text: string): FoundIn[] {
  return inOrder(sources, ({ index }) => index.find(text));
}

/** The same order for whatever else is asked of each source. */
export function inOrder<T extends Scored>(
  sources: readonly Source[],
  ask: (source: Source) => T[],
): FoundIn<T>[] {
  return sources
    .flatMap((source) => {
      const { index, base } = source;
      const others = sources.map((each) => each.index).filter((each) => each !== index);
      return ask(source).map((found): FoundIn<T> => {
        const { address, anchor } = found.entry;
        const alsoIn = others.filter((other) => other.untranslated.has(address));
        return {
          ...found,
          score: found.score * (alsoIn.length > 0 ? 1 : OWN_LANGUAGE),
          url: `${base}${address.slice(1)}${anchor && `#${anchor}`}`,
          languages: [index.language, ...alsoIn.map(({ language }) => language)],
        };
      });
    })
    .toSorted((one, other) => other.score - one.score);
}
