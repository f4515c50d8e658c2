import { translate } from "@docusaurus/Translate";
import { Box, Diagram, Frame, Line, Words } from "../diagrams/Diagram.tsx";

/** What a backend inside a sub-organization may do, while it sets up and afterwards. */
export function DelegatedRights() {
  const wallet = translate({ id: "delegated.wallet", message: "Wallet" });
  const quorum = translate({ id: "delegated.quorum", message: "Root quorum" });
  const anything = translate({ id: "delegated.anything", message: "anything" });
  return (
    <Diagram
      title={translate({
        id: "delegated.title",
        message: "Ada’s sub-organization before and after step 3, which the backend can’t undo.",
      })}
      height={216}
      sentences={[
        translate({
          id: "delegated.before",
          message:
            "Before step 3, Ada and the backend are both root users, and either can do anything.",
        }),
        translate({
          id: "delegated.after",
          message: "After step 3, Ada is the only root user, and can do anything.",
        }),
        translate({
          id: "delegated.policies",
          message:
            "The backend is a user with one ALLOW and one DENY. It can send 25 USDC to the merchant, and nothing else.",
        }),
      ]}
    >
      {(head) => (
        <>
          <Frame
            x={2}
            y={2}
            width={320}
            height={210}
            title={translate({ id: "delegated.setup", message: "Before step 3" })}
          />
          <Box
            x={18}
            y={84}
            width={146}
            title={quorum}
            note={translate({ id: "delegated.both", message: "Ada or the backend" })}
          />
          <Box
            x={220}
            y={84}
            width={86}
            title={wallet}
            note={translate({ id: "delegated.empty", message: "still empty" })}
            kind="core"
          />
          <Line d="M164 116h54" head={head} />
          <Words x={192} y={76}>
            {anything}
          </Words>
          <Frame
            x={340}
            y={2}
            width={378}
            height={210}
            title={translate({ id: "delegated.done", message: "After step 3" })}
          />
          <Box
            x={356}
            y={40}
            width={162}
            title={quorum}
            note={translate({ id: "delegated.alone", message: "Ada alone" })}
          />
          <Box
            x={356}
            y={132}
            width={162}
            title={translate({ id: "delegated.backend", message: "Backend" })}
            note={translate({ id: "delegated.rules", message: "one ALLOW, one DENY" })}
            kind="outside"
          />
          <Box
            x={616}
            y={84}
            width={86}
            title={wallet}
            note={translate({ id: "delegated.hers", message: "Ada’s" })}
            kind="core"
          />
          <Line d="M518 72h141v10" head={head} />
          <Line d="M518 164h141v-14" head={head} />
          <Words x={588} y={64}>
            {anything}
          </Words>
          <Words x={600} y={184}>
            {translate({ id: "delegated.narrow", message: "25 USDC, one recipient" })}
          </Words>
        </>
      )}
    </Diagram>
  );
}
