import { checkEach, invalid } from "../errors.ts";

/**
 * Finds everything that a request deletes, and refuses what was never exported: no copy of it would
 * be left. `find` throws if there is no such thing.
 */
export function checkDeletion(
  ids: readonly string[],
  { noun, field, deleteWithoutExport }: DeletionParams,
  find: (id: string, field: string) => { exported: boolean },
) {
  checkEach(ids, (id, index) => {
    const at = `${field}[${index}]`;
    const { exported } = find(id, at);
    checkExported({ noun, id, exported, deleteWithoutExport }, at);
  });
}

/** Refuses to delete one thing that was never exported. */
export function checkExported(
  {
    noun,
    id,
    exported,
    deleteWithoutExport,
  }: Pick<DeletionParams, "noun" | "deleteWithoutExport"> & {
    id: string;
    exported: boolean;
  },
  field: string,
) {
  if (exported || deleteWithoutExport) return;
  throw invalid(
    field,
    `${noun} has not been exported: \`${id}\`; export it first, or set \`deleteWithoutExport\` to true to delete it although no copy is left`,
    "NOT_EXPORTED",
  );
}

type DeletionParams = {
  noun: string;
  /** The path of the list of ids in the request. */
  field: string;
  deleteWithoutExport: boolean | undefined;
};
