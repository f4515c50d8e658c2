import { translate } from "@docusaurus/Translate";
import { Box, Diagram, Line, Words } from "../diagrams/Diagram.tsx";

/** Which tool answers at which time: before policies are saved, before a request is sent, and after it. */
export function DecisionTools() {
  return (
    <Diagram
      title={translate({
        id: "tools.title",
        message:
          "Three times to ask. Only the lower row has effects; the tools above it change nothing.",
      })}
      height={230}
      sentences={[
        translate({
          id: "tools.draft",
          message:
            "Before you save policies, the command line checks them, tests them with your cases and compares them with those in force.",
        }),
        translate({
          id: "tools.simulate",
          message:
            "Before you send a request, simulate_activity decides about it with the policies in force.",
        }),
        translate({
          id: "tools.trace",
          message:
            "After the decision, get_policy_evaluations shows what each policy answered, and why.",
        }),
      ]}
    >
      {(head) => (
        <>
          <Box x={2} y={4} width={200} title="keyhearth policy" note="check, test, compare" />
          <Box
            x={260}
            y={4}
            width={200}
            title={translate({ id: "tools.dryRun", message: "Dry run" })}
            note="simulate_activity"
          />
          <Box
            x={518}
            y={4}
            width={200}
            title={translate({ id: "tools.why", message: "Trace" })}
            note="get_policy_evaluations"
          />
          <Box
            x={2}
            y={162}
            width={200}
            title={translate({ id: "tools.policies", message: "Policies" })}
            note={translate({ id: "tools.policies.note", message: "in force once saved" })}
            kind="core"
          />
          <Box
            x={260}
            y={162}
            width={200}
            title={translate({ id: "tools.request", message: "Request" })}
            note={translate({ id: "tools.request.note", message: "sent by a user" })}
            kind="core"
          />
          <Box
            x={518}
            y={162}
            width={200}
            title={translate({ id: "tools.decision", message: "Decision" })}
            note={translate({ id: "tools.decision.note", message: "allowed, denied, waits" })}
            kind="core"
          />
          <Line d="M102 68v92" head={head} />
          <Line d="M360 68v92" head={head} />
          <Line d="M618 162v-92" head={head} />
          <Line d="M202 194h56" head={head} />
          <Line d="M460 194h56" head={head} />
          <Words x={150} y={119}>
            {translate({ id: "tools.save", message: "then save" })}
          </Words>
          <Words x={408} y={119}>
            {translate({ id: "tools.send", message: "then send" })}
          </Words>
          <Words x={668} y={119}>
            {translate({ id: "tools.ask", message: "then ask" })}
          </Words>
        </>
      )}
    </Diagram>
  );
}
