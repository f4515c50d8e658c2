/** What a release is made from. */
export type Context = {
  /** The repository. */
  root: string;
  version: string;
  /** The digest of the commit. */
  commit: string;
  /** The time of the commit, in seconds. It is the only time that an artefact may have in it. */
  epoch: number;
};

/** A part of a release: one file or several. The same commit gives the same bytes, in any folder. */
export type Artefact = {
  name: string;
  write(directory: string, context: Context): Promise<unknown>;
};
