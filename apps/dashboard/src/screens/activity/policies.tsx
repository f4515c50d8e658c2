import { getPolicyEvaluations, listPolicies } from "@keyhearth/sdk";
import { useEffect, useRef } from "react";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { PolicyOutcomes } from "../../policy-language/outcome.tsx";

/** What the policies said when the last vote was counted. */
export function Policies({ activityId, votes }: { activityId: string; votes: number }) {
  const policies = useRead("list_policies", listPolicies, {});
  const evaluations = useRead("get_policy_evaluations", getPolicyEvaluations, {
    activityId,
    includeTrace: true,
  });
  const { refetch } = evaluations;
  const counted = useRef(votes);
  useEffect(() => {
    if (counted.current === votes) return;
    counted.current = votes;
    void refetch();
  }, [votes, refetch]);
  return (
    <Loaded query={evaluations} what="what the policies said">
      {({ policyEvaluations }) => {
        const outcomes = policyEvaluations.at(-1)?.policyEvaluations ?? [];
        if (outcomes.length === 0) {
          return (
            <p className="soft">
              No policy was asked: the root quorum decided, or it is something that users may always
              do for themselves.
            </p>
          );
        }
        return <PolicyOutcomes outcomes={outcomes} policies={policies.data?.policies ?? []} />;
      }}
    </Loaded>
  );
}
