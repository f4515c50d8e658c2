// The order in which the processes of vitest take the files of a step.

import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Their tests hold databases, signers and answers of many megabytes in the process of the test. */
const holding = /^(apps\/(api|signer)|packages\/engine|tests\/(attacks|negative))\//;

/**
 * Files that start programs come first: what a process of this size takes to start another one grows with its memory, which
 * a fork maps once more. That is 5 ms of processor time at its start, and 50 ms at half a gigabyte.
 */
export class ProgramsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return programsFirst(sorted, ({ moduleId, project }) =>
      moduleId.slice(project.config.root.length + 1),
    );
  }
}

export function programsFirst<File>(
  files: readonly File[],
  pathOf: (file: File) => string,
): File[] {
  const isHolding = (file: File) => holding.test(pathOf(file));
  return [...files.filter((file) => !isHolding(file)), ...files.filter(isHolding)];
}
