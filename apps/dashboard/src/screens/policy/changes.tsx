import type { Comparison } from "@keyhearth/policy/advice/comparison";
import { listActivities } from "@keyhearth/sdk";
import { useQuery } from "@tanstack/react-query";
import { CircleCheck, CircleHelp, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { simulatedOf } from "../../approvals/asked.ts";
import { leavesOf } from "../../approvals/parameters.ts";
import type { Compared } from "../../policy-language/compare.worker.ts";
import { draftOf, textOf, withDraft } from "../../policy-language/draft.ts";
import { type Known, simulate, useKnown } from "../../policy-language/known.ts";
import { DecisionTag } from "../../policy-language/outcome.tsx";
import { useCurrent } from "../../session/current.tsx";
import { nameOfType } from "../../ui/activity-status.tsx";
import { Button } from "../../ui/button.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import type { About } from "./about.ts";

const MOST = 25;

/** The saved policies against those with the changes, over what happened lately and over everything that could. */
export function Changes(about: About) {
  const known = useKnown();
  const isChanged =
    !about.policy || JSON.stringify(draftOf(about.policy)) !== JSON.stringify(about.draft);
  if (!known) return <Loading what="the users of the organization" />;
  if (!isChanged) {
    return (
      <p className="soft">
        Nothing has been changed. Change the policy, and look here what that would mean.
      </p>
    );
  }
  return <Comparing {...about} known={known} />;
}

function Comparing({ policies, policy, draft, known }: About & { known: Known }) {
  const { connection, unpinned, session } = useCurrent();
  const { organizationId } = session;
  const [asked, setAsked] = useState(0);
  const after = withDraft(policies, policy?.policyId, draft);
  const compared = useQuery({
    queryKey: ["comparison", organizationId, asked, after],
    enabled: asked > 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const { activities } = await listActivities(
        unpinned,
        { paginationOptions: { limit: String(MOST) } },
        { organizationId, signal },
      );
      const rows = [];
      for (const activity of activities) {
        const question = simulatedOf(activity);
        if (!question) continue;
        // Some requests are no longer possible, such as those about a user who was deleted.
        const found = await simulate(connection, question, known, { organizationId, signal }).catch(
          () => undefined,
        );
        if (found) rows.push({ activity, situation: found.situation });
      }
      const { compare } = await import("../../policy-language/compare.ts");
      const before = policies.map((each) => textOf(each.policyId, each));
      const { users, rootQuorum } = known;
      const situations = rows.map(({ situation }) => situation);
      const answer = await compare(
        { before, after, situations, organization: { users, rootQuorum } },
        signal,
      );
      return {
        rows,
        answer,
        names: new Map(after.map((each) => [each.policyId, each.policyName])),
      };
    },
  });
  return (
    <>
      <div className="row">
        <Button kind="primary" isPending={compared.isFetching} onPress={() => setAsked(asked + 1)}>
          Compare with what is saved
        </Button>
        <span className="soft">
          Over the last {MOST} activities, and over everything that could be asked.
        </span>
      </div>
      {compared.isError && <Failed error={compared.error} />}
      {compared.isFetching && <Loading what="the comparison" lines={4} />}
      {compared.data && !compared.isFetching && <Answer {...compared.data} />}
    </>
  );
}

type Rows = { activity: Parameters<typeof simulatedOf>[0] }[];

function Answer({
  rows,
  answer,
  names,
}: {
  rows: Rows;
  answer: Compared;
  names: ReadonlyMap<string, string>;
}) {
  if ("problem" in answer) {
    return (
      <Notice tone="danger" icon={<TriangleAlert size={18} aria-hidden />}>
        This cannot be compared: {answer.problem}
      </Notice>
    );
  }
  const changed = rows.flatMap(({ activity }, i) => {
    const decided = answer.decided[i];
    return decided && decided.before !== decided.after ? [{ activity, ...decided }] : [];
  });
  return (
    <>
      <More comparison={answer.comparison} names={names} />
      <Section title="Recent activities">
        {changed.length === 0 ? (
          <p className="soft">
            {rows.length === 0
              ? "There is nothing yet to compare."
              : `Of the last ${rows.length}, all would be decided as before.`}
          </p>
        ) : (
          <Table
            label="Activities that would be decided differently"
            rows={changed}
            keyOf={({ activity }) => activity.id}
            hrefOf={({ activity }) => `/activities/${activity.id}`}
            columns={[
              { name: "Activity", cell: ({ activity }) => nameOfType(activity.type), isMain: true },
              { name: "By", cell: ({ activity }) => activity.votes[0]?.user.userName ?? "" },
              { name: "Before", cell: ({ before }) => <DecisionTag outcome={before} /> },
              { name: "After", cell: ({ after }) => <DecisionTag outcome={after} /> },
              { name: "When", cell: ({ activity }) => <Time at={activity.createdAt} /> },
            ]}
          />
        )}
      </Section>
    </>
  );
}

function More({
  comparison,
  names,
}: {
  comparison: Comparison;
  names: ReadonlyMap<string, string>;
}) {
  switch (comparison.answer) {
    case "no more":
      return (
        <Notice tone="good" icon={<CircleCheck size={18} aria-hidden />}>
          <strong>It allows nothing more</strong>
          <span>Every request that it would allow is allowed already.</span>
        </Notice>
      );
    case "more": {
      const { context, approvers, allowedBy } = comparison.example;
      const facts = leavesOf(context).map(({ path, value }) => [path, value] as const);
      return (
        <Notice tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
          <strong>It allows more than before, for example this</strong>
          <Facts
            facts={[
              ...facts.filter(([path]) => path !== ""),
              ["Approved by", approvers.map(({ alias, userId }) => alias || userId).join(", ")],
              ["Allowed by", allowedBy.map((id) => names.get(id) ?? id).join(", ")],
            ]}
          />
        </Notice>
      );
    }
    case "unknown":
      return (
        <Notice icon={<CircleHelp size={18} aria-hidden />}>
          <strong>Whether it allows more cannot be said</strong>
          {comparison.reasons.slice(0, 5).map(({ policyId, clause, message }) => (
            <span key={`${policyId} ${clause} ${message}`}>
              {names.get(policyId) ?? policyId}, {clause}: {message}
            </span>
          ))}
        </Notice>
      );
  }
}
