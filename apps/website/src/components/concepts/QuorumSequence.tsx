import { translate } from "@docusaurus/Translate";
import { Sequence } from "../sequences/Sequence.tsx";
import { person, signer } from "./actors.ts";

/** A request that two of two root users approve. */
export function QuorumSequence() {
  return (
    <Sequence
      title={translate({
        id: "quorum.title",
        message: "A quorum of two. The second approval executes what the first user asked for.",
      })}
      actors={[
        person("Ada", translate({ id: "quorum.ada", message: "asks" })),
        signer,
        person("Bob", translate({ id: "quorum.bob", message: "approves" })),
      ]}
      to={translate({ id: "sequence.to", message: "to" })}
      steps={[
        {
          from: 0,
          to: 1,
          text: translate({ id: "quorum.asks", message: "create_wallet, stamped" }),
        },
        { from: 1, to: 1, text: translate({ id: "quorum.waits", message: "one of two: waits" }) },
        {
          from: 1,
          to: 0,
          text: translate({ id: "quorum.answer", message: "the activity needs consensus" }),
        },
        {
          from: 2,
          to: 2,
          text: translate({ id: "quorum.reads", message: "reads the bytes that Ada stamped" }),
        },
        {
          from: 2,
          to: 1,
          text: translate({ id: "quorum.approves", message: "approve_activity, its fingerprint" }),
        },
        {
          from: 1,
          to: 1,
          text: translate({ id: "quorum.executes", message: "two of two: executes it once" }),
        },
        { from: 1, to: 2, text: translate({ id: "quorum.result", message: "the result" }) },
      ]}
    />
  );
}
