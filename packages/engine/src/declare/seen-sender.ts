import { type ActivityDeclaration, dependsOnSender } from "./define.ts";

/** What is known of the sender, for activities that may depend on it. Reading it in any other one is a bug. */
export function seenSender<Sender extends object>(
  declaration: ActivityDeclaration,
  sender: Sender,
): Sender {
  return dependsOnSender(declaration) ? sender : (UNSEEN as Sender);
}

// Nobody gets to use it as what it stands for.
const UNSEEN: object = new Proxy(
  {},
  {
    get(_target, name) {
      throw new Error(`a declaration without readsSender reads ${String(name)} of its sender`);
    },
  },
);
