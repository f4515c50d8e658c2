import { translate } from "@docusaurus/Translate";
import { Box, Diagram, Line, Words } from "../diagrams/Diagram.tsx";

/** What a parent can do in its sub-organizations, and what only their own users can. */
export function SubOrganizationRights() {
  const subOrganization = translate({ id: "rights.sub", message: "Sub-organization" });
  const reads = translate({ id: "rights.reads", message: "creates, reads" });
  const writes = translate({ id: "rights.writes", message: "signs, changes, deletes" });
  return (
    <Diagram
      title={translate({
        id: "rights.title",
        message:
          "You create both sub-organizations and read them. Each is changed and used by its own users alone.",
      })}
      height={236}
      sentences={[
        translate({
          id: "rights.backend",
          message:
            "Your backend stamps with a key of the parent. It creates sub-organizations, finds them and reads everything in them.",
        }),
        translate({
          id: "rights.ada",
          message: "Ada signs, changes and deletes in her sub-organization, and in no other.",
        }),
        translate({ id: "rights.ben", message: "Ben does the same in his." }),
        translate({
          id: "rights.refused",
          message: "If the parent’s users ask for anything else there, they get a 403.",
        }),
      ]}
    >
      {(head) => (
        <>
          <Box
            x={2}
            y={86}
            width={170}
            title={translate({ id: "rights.parent", message: "Your backend" })}
            note={translate({ id: "rights.parent.note", message: "a user of the parent" })}
          />
          <Box
            x={274}
            y={4}
            width={190}
            title={subOrganization}
            note={translate({ id: "rights.wallet.ada", message: "Ada’s wallet" })}
            kind="core"
          />
          <Box
            x={274}
            y={168}
            width={190}
            title={subOrganization}
            note={translate({ id: "rights.wallet.ben", message: "Ben’s wallet" })}
            kind="core"
          />
          <Box x={640} y={4} width={78} title="Ada" note="passkey" kind="outside" />
          <Box x={640} y={168} width={78} title="Ben" note="passkey" kind="outside" />
          <Line d="M87 86v-50h185" head={head} />
          <Line d="M87 150v50h185" head={head} />
          <Line d="M640 36h-174" head={head} />
          <Line d="M640 200h-174" head={head} />
          <Words x={180} y={28}>
            {reads}
          </Words>
          <Words x={180} y={192}>
            {reads}
          </Words>
          <Words x={553} y={28}>
            {writes}
          </Words>
          <Words x={553} y={192}>
            {writes}
          </Words>
        </>
      )}
    </Diagram>
  );
}
