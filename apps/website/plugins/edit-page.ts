import { readFile, rename, writeFile } from "node:fs/promises";

declare global {
  var keyhearthPageEdits: Map<string, Promise<void>> | undefined;
}

// Docusaurus loads each plugin with its own copies of the modules that it imports, so a variable of this
// module would not be shared between plugins.
globalThis.keyhearthPageEdits ??= new Map();
const edits = globalThis.keyhearthPageEdits;

/**
 * Changes a built page. Docusaurus runs the plugins at the same time after a build, so edits of one file wait
 * for each other, and readers find the page whole: as it was before or after an edit.
 */
export function editPage(file: string, edit: (html: string) => string): Promise<void> {
  const before = edits.get(file) ?? Promise.resolve();
  const done = before.then(() => replace(file, edit));
  const settled = done.catch(() => undefined);
  edits.set(file, settled);
  void settled.then(() => edits.get(file) === settled && edits.delete(file));
  return done;
}

async function replace(file: string, edit: (html: string) => string): Promise<void> {
  const html = await readFile(file, "utf8");
  const edited = edit(html);
  if (edited === html) return;
  const temporary = `${file}.new`;
  await writeFile(temporary, edited);
  await rename(temporary, file);
}
