import { type Actor, Sequence } from "./Sequence.tsx";

const script: Actor = {
  name: "ci.sh",
  inText: "ci.sh",
  note: "starts and stops",
  kind: "trusted",
};
const tests: Actor = {
  name: "Your tests",
  inText: "your tests",
  note: "have the root key",
  kind: "trusted",
};
const service: Actor = {
  name: "Keyhearth",
  inText: "Keyhearth",
  note: "in a temporary folder",
  kind: "carrier",
};

export function PipelineSequence() {
  return (
    <Sequence
      title="A run in a pipeline. Each test has an organization for itself, and nothing is left at the end."
      actors={[script, tests, service]}
      steps={[
        { from: 0, to: 2, text: "starts it with an empty database" },
        { from: 2, to: 0, text: "/readyz is ready" },
        { from: 0, to: 1, text: "address and key, as variables" },
        { from: 1, to: 2, text: "create_sub_organization, for each test" },
        { from: 1, to: 2, text: "requests of the test" },
        { from: 1, to: 0, text: "the status of the command" },
        { from: 0, to: 2, text: "stops it, removes the folder" },
      ]}
    />
  );
}
