import { signer } from "./actors.ts";
import { type Actor, Sequence } from "./Sequence.tsx";

const operator: Actor = { name: "You", inText: "you", note: "operate it", kind: "trusted" };
const database: Actor = {
  name: "Database",
  inText: "the database",
  note: "notarized records",
  kind: "carrier",
};
const api: Actor = { name: "API", inText: "the API", note: "one process or more", kind: "carrier" };

export function UpgradeSequence() {
  return (
    <Sequence
      title="An upgrade. The signer goes first, and one API process migrates the database."
      actors={[operator, database, signer, api]}
      steps={[
        { from: 0, to: 1, text: "back it up" },
        { from: 0, to: 0, text: "install the release" },
        { from: 0, to: 3, text: "stop all" },
        { from: 0, to: 2, text: "stop it, start the new one" },
        { from: 0, to: 3, text: "start one" },
        { from: 3, to: 1, text: "migrates" },
        { from: 3, to: 0, text: "/readyz is ready" },
        { from: 0, to: 3, text: "sign something, start the others" },
      ]}
    />
  );
}

export function RestoreSequence() {
  return (
    <Sequence
      title="A restore. Only you, on the signer’s machine, make the signer accept an older database."
      actors={[operator, database, signer, api]}
      steps={[
        { from: 0, to: 3, text: "stop the API and the signer" },
        { from: 0, to: 1, text: "restore the dump" },
        { from: 0, to: 2, text: "accept-restored-database" },
        { from: 0, to: 2, text: "start it, without --create" },
        { from: 0, to: 3, text: "start the API" },
        { from: 3, to: 2, text: "documents of the restored database" },
        { from: 2, to: 2, text: "verifies and accepts them" },
        { from: 3, to: 0, text: "/readyz is ready again" },
      ]}
    />
  );
}
