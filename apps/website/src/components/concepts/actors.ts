import { translate } from "@docusaurus/Translate";
import type { Actor } from "../sequences/Sequence.tsx";

/** Actors of the drawings that are translated. */

export const signer: Actor = {
  name: translate({ id: "actor.signer", message: "Signer" }),
  inText: translate({ id: "actor.signer.inText", message: "the signer" }),
  note: translate({ id: "actor.signer.note", message: "holds the keys" }),
  kind: "trusted",
};

export function person(name: string, note: string): Actor {
  return { name, inText: name, note, kind: "trusted" };
}
