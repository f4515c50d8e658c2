import { Box, Diagram, Line, Words } from "./Diagram.tsx";

/** What is asked before a login or a recovery is sent: one row for each kind of sender. */
export function WhoSendsLogins() {
  return (
    <Diagram
      title="A message is sent only if every question on its way is answered with yes."
      height={250}
      sentences={[
        "Your server asks for a user of a sub-organization: both organizations need the feature. Then your root quorum or one of your policies must allow the request, at once.",
        "A user asks for a login email for themselves: their organization needs the feature. Then no policy may deny it.",
        "A user asks for another user: their organization needs the feature. Then its root quorum or one of its policies must allow it.",
        "After the last yes, the message is sent. After any no, the answer is 403 and nothing is sent.",
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={6} title="Your server" note="for an end user" kind="outside" />
          <Box x={2} y={92} title="A user" note="for themselves" kind="outside" />
          <Box x={2} y={178} title="A user" note="for another user" kind="outside" />
          <Box x={208} y={6} width={160} title="Feature on?" note="in both organizations" />
          <Box x={208} y={92} width={160} title="Feature on?" note="in the organization" />
          <Box x={208} y={178} width={160} title="Feature on?" note="in the organization" />
          <Box x={424} y={6} width={160} title="Does yours allow it?" note="quorum or policy" />
          <Box x={424} y={92} width={160} title="No DENY?" note="in the organization" />
          <Box x={424} y={178} width={160} title="Is it allowed?" note="quorum or policy" />
          <Box x={640} y={92} width={78} title="Sent" note="to them" kind="core" />
          <Line d="M152 38h54" head={head} />
          <Line d="M152 124h54" head={head} />
          <Line d="M152 210h54" head={head} />
          <Line d="M368 38h54" head={head} />
          <Line d="M368 124h54" head={head} />
          <Line d="M368 210h54" head={head} />
          <Line d="M584 38h95v52" head={head} />
          <Line d="M584 124h54" head={head} />
          <Line d="M584 210h95v-52" head={head} />
          <Words x={395} y={30}>
            yes
          </Words>
          <Words x={395} y={116}>
            yes
          </Words>
          <Words x={395} y={202}>
            yes
          </Words>
        </>
      )}
    </Diagram>
  );
}
