import { renameSync, writeFileSync } from "node:fs";
import type { CoreEvent, Marks } from "@keyhearth/engine/core/core";
import type { NewestDocument } from "@keyhearth/engine/core/protocol";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { attempt } from "./disk.ts";
import { hasFile } from "./state-files.ts";

/**
 * Which documents were confirmed last, the newest first, in a file: so that the host can notice that the whole
 * database is older than the signer, also after a restart of both (decision 2). Nothing is decided by it, so a file
 * that is damaged or cannot be written is logged and stops nothing, and a power cut may take the last seconds of it.
 */
export type NewestDocuments = {
  list(): readonly NewestDocument[];
  note(documents: readonly NewestDocument[]): void;
  /** Writes the file, if the list has changed. */
  keep(): void;
};

/** Enough to tell an older database from an organization whose record is older. */
const MAX_DOCUMENTS = 16;

export function openNewestDocuments(
  path: string,
  log: (event: CoreEvent) => void,
): NewestDocuments {
  let documents: readonly NewestDocument[] = [];
  let isKept = true;
  const damage = attempt(() => {
    if (hasFile(path)) documents = parse(readStateFile(path).toString("utf8"));
  });
  if (damage) log({ event: "the list of the newest documents begins again", path, cause: damage });
  return {
    list: () => documents,
    note(confirmed) {
      const newest = confirmed.map(({ organizationId, version }) => ({ organizationId, version }));
      const ids = new Set(newest.map(({ organizationId }) => organizationId));
      const others = documents.filter(({ organizationId }) => !ids.has(organizationId));
      documents = [...newest.toReversed(), ...others].slice(0, MAX_DOCUMENTS);
      isKept = false;
    },
    keep() {
      if (isKept) return;
      isKept = true;
      const failure = attempt(() => {
        writeFileSync(`${path}.new`, `${JSON.stringify(documents)}\n`, { mode: 0o600 });
        renameSync(`${path}.new`, path);
      });
      if (failure) log({ event: "the newest documents were not listed", path, cause: failure });
    },
  };
}

/** The marks, with a list of what they were moved to last. */
export function listMoves(marks: Marks, newest: NewestDocuments): Marks {
  return {
    ...marks,
    move(documents) {
      marks.move(documents);
      newest.note(documents);
    },
  };
}

function parse(text: string): NewestDocument[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) throw new Error("it does not hold a list");
  return list.slice(0, MAX_DOCUMENTS).map((each: Partial<NewestDocument> | null) => {
    const { organizationId, version } = { ...each };
    if (typeof organizationId === "string" && Number.isSafeInteger(version)) {
      return { organizationId, version: Number(version) };
    }
    throw new Error("it holds something else than documents");
  });
}
