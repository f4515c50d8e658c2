import type { Mark } from "./tickets.ts";

/**
 * Thrown in place of an answer by marks that do not know all: whether this document is the newest is for another memory to
 * say. Then the call is made again.
 */
export class Unseen extends Error {
  readonly document: Mark;

  constructor(document: Mark) {
    super("nobody has said whether this document is the newest");
    this.document = document;
    this.name = "Unseen";
  }
}
