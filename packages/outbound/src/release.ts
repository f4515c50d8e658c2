import manifest from "../package.json" with { type: "json" };

// What a program keeps on disk or in a database has a number for its form, and beside it the release that first wrote
// this form. An older release reads the number, and says by the names which of the two is the older.

/** The release that this program is of. */
export const release: string = manifest.version;

/** The text of a file that says in which form a directory is. */
export function formText(form: number): string {
  return `${form} ${release}\n`;
}

/** Null if the text says nothing that this release knows. */
export function readForm(text: string): { form: number; release: string } | null {
  const [, form = "", name = ""] = /^(\d{1,9}) (\d+\.\d+\.\d+)\n?$/.exec(text) ?? [];
  return form === "" ? null : { form: Number(form), release: name };
}

/** The end of a sentence about what a newer release wrote. */
export function newerThanThis(other: string | null): string {
  const writer = other === null ? "a newer release of Keyhearth" : `Keyhearth ${other}`;
  return `was written by ${writer}, and this is ${release}, which is older`;
}
