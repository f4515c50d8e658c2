import { signer } from "./actors.ts";
import { type Actor, Sequence } from "./Sequence.tsx";

// In a file of its own, so that the page with many samples doesn't load all the other drawings.

const client: Actor = {
  name: "Client",
  inText: "the client",
  note: "stamps requests",
  kind: "trusted",
};
const host: Actor = {
  name: "API, database",
  inText: "the API",
  note: "keep what others signed",
  kind: "carrier",
};
const receiver: Actor = {
  name: "Your receiver",
  inText: "your receiver",
  note: "has the signer’s key",
  kind: "trusted",
};

export function WebhookSequence() {
  return (
    <Sequence
      title="A delivery. The API decides when it sends, and can’t change what the signer signed."
      actors={[client, host, signer, receiver]}
      steps={[
        { from: 0, to: 2, text: "stamped request" },
        { from: 2, to: 1, text: "activity, which the database commits" },
        { from: 1, to: 2, text: "soon after: this activity is to be sent" },
        { from: 2, to: 1, text: "body and signature" },
        { from: 1, to: 3, text: "POST with both" },
        { from: 3, to: 3, text: "verifies, remembers id and status" },
        { from: 3, to: 1, text: "2xx within ten seconds, or the API tries again" },
      ]}
    />
  );
}
