import { Box, Diagram, Frame, Line, Words } from "./Diagram.tsx";

/** Several API processes: what each has for itself, and what they share. */
export function SeveralProcesses() {
  return (
    <Diagram
      title="Add API processes, and never a second signer. The database may be on another machine."
      height={290}
      sentences={[
        "A balancer asks each API process whether it is ready, and sends requests to any that is.",
        "Each API process has a data directory of its own.",
        "All of them share one signer, on the same machine, by its Unix socket.",
        "All of them share one PostgreSQL, over a network if it is elsewhere.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={112} width={120} title="Balancer" note="asks /readyz" kind="outside" />
          <Frame
            x={170}
            y={2}
            width={548}
            height={286}
            title="One machine, or PostgreSQL elsewhere"
          />
          <Box x={200} y={36} width={170} title="API" note="own data directory" />
          <Box x={200} y={118} width={170} title="API" note="own data directory" />
          <Box x={200} y={200} width={170} title="API" note="own data directory" />
          <Box x={520} y={64} width={174} title="Signer" note="exactly one" kind="core" />
          <Box x={520} y={180} width={174} title="PostgreSQL" note="records" kind="outside" />
          <Line d="M122 130l76 -56" head={head} />
          <Line d="M122 147h76" head={head} />
          <Line d="M122 164l76 62" head={head} />
          <Line d="M370 68l148 22" head={head} />
          <Line d="M370 144l148 -42" head={head} />
          <Line d="M370 222l148 -106" head={head} />
          <Line d="M370 84l148 108" head={head} />
          <Line d="M370 162l148 46" head={head} />
          <Line d="M370 238l148 -14" head={head} />
          <Words x={450} y={58}>
            socket
          </Words>
        </>
      )}
    </Diagram>
  );
}
