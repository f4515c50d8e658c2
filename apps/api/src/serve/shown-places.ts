import { isAbsolute, relative, sep } from "node:path";

/** What the pages of a built site name where they speak of a running service (decision 22). */
export type ShownPlaces = {
  /** An origin, such as `https://keys.example.com`. */
  publicUrl: string;
  /** Where a developer finds the files of the service, as the pages write it. Null leaves the default. */
  dataDirectory: string | null;
};

// What the site is built with. Each sample works on a service that was started without settings.
const BUILT_ORIGIN = /http:\/\/localhost:3000(?!\d)/g;
// In JSON and in scripts, the end of a line is written `\n`, and the end of a cell `\t`.
const BUILT_HOST = /(?:(?<![\w.-])|(?<=\\[nt]))localhost:3000(?!\d)/g;
// In a shell, `:-` comes before a default.
const BUILT_FILES =
  /(?:(?<![\w./]|(?<!:)-)|(?<=\\[nt]))((?:\.\.\/)+|\.\/)?data\/(?=root-api-key\.json|mailbox-token)/g;

// Characters that HTML, JSON, JavaScript and shells all take as they are.
const PLAIN_ORIGIN = /^https?:\/\/([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/;
const PLAIN_PATH = /^[\w./@+-]+$/;

/**
 * The data directory, seen from the folder where the service was started. Null where the pages are for
 * other people than the one who started it: they are not told a path of the machine.
 */
export function shownDirectory(
  { dataDirectory, isForDeveloper }: { dataDirectory: string; isForDeveloper: boolean },
  startedIn: string,
): string | null {
  if (!isForDeveloper) return null;
  const inside = relative(startedIn, dataDirectory);
  const isInside = inside !== "" && !isAbsolute(inside) && inside.split(sep)[0] !== "..";
  const shown = isInside ? inside : dataDirectory;
  return PLAIN_PATH.test(shown) ? shown : null;
}

/** Whether the content depends on who serves it. */
export function namesPlaces(text: string): boolean {
  return text.search(BUILT_HOST) >= 0 || text.search(BUILT_FILES) >= 0;
}

export function showPlaces(text: string, { publicUrl, dataDirectory }: ShownPlaces): string {
  let shown = text;
  if (PLAIN_ORIGIN.test(publicUrl)) {
    const host = publicUrl.slice(publicUrl.indexOf("//") + 2);
    shown = shown.replace(BUILT_ORIGIN, publicUrl).replace(BUILT_HOST, host);
  }
  if (dataDirectory === null) return shown;
  // Programs in a folder of the repository go up to where the service was started.
  return shown.replace(BUILT_FILES, (_, up = "./") => {
    return isAbsolute(dataDirectory) || up === "./"
      ? `${dataDirectory}/`
      : `${up}${dataDirectory}/`;
  });
}
