import type { Actor } from "./Sequence.tsx";

export const signer: Actor = {
  name: "Signer",
  inText: "the signer",
  note: "holds the keys",
  kind: "trusted",
};

export const page: Actor = {
  name: "Your page",
  inText: "your page",
  note: "on the user’s device",
  kind: "trusted",
};

export const server: Actor = {
  name: "Your server",
  inText: "your server",
  note: "has your API key",
  kind: "carrier",
};
