import { server, signer } from "./actors.ts";
import { type Actor, Sequence } from "./Sequence.tsx";

const app: Actor = {
  name: "Your app",
  inText: "your app",
  note: "has no credential yet",
  kind: "carrier",
};

export function StampingProxySequence() {
  return (
    <Sequence
      title="A request that your server stamps. It decides what an app may ask, and changes no byte of it."
      actors={[app, server, signer]}
      steps={[
        { from: 0, to: 1, text: "body, and the URL in a header" },
        { from: 1, to: 1, text: "compares the path, drops the headers" },
        { from: 1, to: 1, text: "stamps the body as it came" },
        { from: 1, to: 2, text: "the same body, with your stamp" },
        { from: 2, to: 1, text: "the answer" },
        { from: 1, to: 0, text: "the same answer" },
      ]}
    />
  );
}
