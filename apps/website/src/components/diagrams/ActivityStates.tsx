import { Box, Diagram, Line, Words } from "./Diagram.tsx";

/** What becomes of a submission that is neither malformed nor denied. */
export function ActivityStates() {
  return (
    <Diagram
      title="Most activities go straight from your request to COMPLETED."
      height={236}
      sentences={[
        "A submission that needs nobody else becomes COMPLETED, or FAILED if it can’t be executed.",
        "A submission that needs others becomes CONSENSUS_NEEDED.",
        "With enough approvals, CONSENSUS_NEEDED becomes COMPLETED or FAILED.",
        "With a vote against it, CONSENSUS_NEEDED becomes REJECTED.",
        "PENDING becomes any of these. COMPLETED, FAILED and REJECTED are final.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={24} title="Submission" note="stamped" kind="outside" />
          <Box x={270} y={150} width={184} title="CONSENSUS_NEEDED" note="waits for votes" />
          <Box x={560} y={2} title="COMPLETED" note="has a result" kind="core" />
          <Box x={560} y={84} title="FAILED" note="has a failure" kind="core" />
          <Box x={560} y={166} title="REJECTED" note="nothing happens" kind="core" />
          <Line d="M152 44h406" head={head} />
          <Line d="M152 66h300l106 44" head={head} />
          <Line d="M77 88v94h191" head={head} />
          <Line d="M430 150l128 -92" head={head} />
          <Line d="M454 170l104 -44" head={head} />
          <Line d="M454 198h104" head={head} />
          <Words x={330} y={36}>
            needs nobody else
          </Words>
          <Words x={172} y={174}>
            needs others
          </Words>
          <Words x={436} y={124}>
            approved
          </Words>
          <Words x={506} y={216}>
            rejected
          </Words>
        </>
      )}
    </Diagram>
  );
}
