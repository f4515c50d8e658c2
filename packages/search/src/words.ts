import { stemmer as stemEnglish } from "@orama/stemmers/english";
import { stemmer as stemSpanish } from "@orama/stemmers/spanish";

/** The common beginning of the forms of a word: `sign` of `signing` and `signed`. */
export type Stem = (word: string) => string;

const stemmers: Record<string, Stem> = { en: stemEnglish, es: stemSpanish };

/** The stemmer of a language. Without one, words stay as they are. */
export function stemmerOf(language: string): Stem {
  const stem = stemmers[language];
  if (!stem) return (word) => word;
  const known = new Map<string, string>();
  return (word) => {
    const its = known.get(word) ?? stem(word);
    known.set(word, its);
    return its;
  };
}

/** Between names. Also what joins the words of `create_wallet` and `X-Stamp`. */
const BETWEEN = /[^\p{L}\p{N}]+/u;

/** Where a capital begins a word: `createWallet`, `EIPNumber`. */
const CAPITAL = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

/** The names in a text, each as the words that it is made of, in lower case and without accents. */
export function namesIn(text: string): string[][] {
  return text
    .split(BETWEEN)
    .filter(Boolean)
    .map((name) => name.split(CAPITAL).map(plain));
}

/** The words of a text. A name that is made of several is one too. */
export function wordsIn(text: string): string[] {
  return namesIn(text).flatMap((parts) => (parts.length > 1 ? [...parts, parts.join("")] : parts));
}

/** A text in the one form that all spellings of a name have: `createwallet`. */
export function nameOf(text: string): string {
  return plain(text.split(BETWEEN).join(""));
}

const ASCII = /^[\0-\x7f]*$/;

function plain(word: string): string {
  const bare = ASCII.test(word) ? word : word.normalize("NFD").replace(/\p{M}/gu, "");
  return bare.toLowerCase();
}
