import type { Actor } from "./Sequence.tsx";

export const signer: Actor = {
  name: "Signer",
  inText: "the signer",
  note: "holds the keys",
  kind: "trusted",
};
