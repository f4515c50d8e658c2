import type { User } from "../records/organization.ts";
import { type ActivityDeclaration, dependsOnSender } from "./define.ts";

/** The user who sent the request, for activities that may depend on it. Reading any other one is a bug. */
export function seenSender(declaration: ActivityDeclaration, user: User): User {
  return dependsOnSender(declaration) ? user : UNSEEN;
}

const UNSEEN: User = new Proxy({} as User, {
  get(_target, name) {
    throw new Error(`a declaration without readsSender reads ${String(name)} of its sender`);
  },
});
