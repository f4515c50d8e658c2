import { Box, Diagram, Line, Words } from "./Diagram.tsx";

/** The three models of custody: whose stamps a sub-organization asks for before it signs. */
export function CustodyModels() {
  return (
    <Diagram
      title="The root users of the sub-organization decide who has custody."
      height={236}
      sentences={[
        "The user’s own wallet: the user is the only root user, and signs alone.",
        "The business’s wallet: your backend is the only root user, and signs alone.",
        "A shared wallet: both are root users, the threshold is 2, and both must stamp the same request.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={4} width={140} title="User" note="passkey" />
          <Box x={286} y={4} width={180} title="The user’s own" note="1 of 1" />
          <Box x={2} y={86} width={140} title="Your backend" note="API key" />
          <Box x={286} y={86} width={180} title="The business’s" note="1 of 1" />
          <Box x={2} y={168} width={64} title="User" note="passkey" />
          <Box x={76} y={168} width={110} title="Backend" note="API key" />
          <Box x={286} y={168} width={180} title="Shared" note="2 of 2" />
          <Box x={598} y={4} width={120} title="Signs" note="the user alone" kind="core" />
          <Box x={598} y={86} width={120} title="Signs" note="you alone" kind="core" />
          <Box x={598} y={168} width={120} title="Signs" note="both together" kind="core" />
          <Line d="M142 36h142" head={head} />
          <Line d="M142 118h142" head={head} />
          <Line d="M186 200h98" head={head} />
          <Line d="M466 36h130" head={head} />
          <Line d="M466 118h130" head={head} />
          <Line d="M466 200h130" head={head} />
          <Words x={212} y={28}>
            one stamp
          </Words>
          <Words x={212} y={110}>
            one stamp
          </Words>
          <Words x={235} y={192}>
            two stamps
          </Words>
        </>
      )}
    </Diagram>
  );
}
