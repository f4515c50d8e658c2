import type { ActivityDeclaration } from "./define.ts";

/** All activities. The core gets them as a value, so that the steps of a submission know none of them. */
export type Activities = {
  /** Throws if there is no such submission. */
  named(name: string): ActivityDeclaration;
  /** Throws if there is no such type. */
  ofType(type: string): ActivityDeclaration;
};
