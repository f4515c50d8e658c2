import { activityKinds } from "@keyhearth/policy/activity-kinds";
import {
  type Activity,
  type ActivityStatus,
  type ActivityType,
  listActivities,
} from "@keyhearth/sdk";
import { lazy, Suspense, useState } from "react";
import { useSearchParams } from "wouter";
import type { Decision } from "../../approvals/decide-dialog.tsx";
import { Loaded } from "../../data/loaded.tsx";
import { usePages } from "../../data/read.ts";
import { nameOfType, Status } from "../../ui/activity-status.tsx";
import { Button } from "../../ui/button.tsx";
import { ComboBox, Select } from "../../ui/choices.tsx";
import { Checkbox } from "../../ui/fields.tsx";
import { Page } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { seenName } from "../../ui/seen.ts";
import { Empty } from "../../ui/states.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import "../../approvals/approvals.css";

const DecideDialog = lazy(async () => ({
  default: (await import("../../approvals/decide-dialog.tsx")).DecideDialog,
}));

const statuses: readonly { id: string; label: string; filter: ActivityStatus[] }[] = [
  { id: "all", label: "Any status", filter: [] },
  { id: "waiting", label: "Waits for approvals", filter: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"] },
  { id: "completed", label: "Completed", filter: ["ACTIVITY_STATUS_COMPLETED"] },
  { id: "failed", label: "Failed", filter: ["ACTIVITY_STATUS_FAILED"] },
  { id: "rejected", label: "Rejected", filter: ["ACTIVITY_STATUS_REJECTED"] },
  {
    id: "running",
    label: "Running",
    filter: ["ACTIVITY_STATUS_CREATED", "ACTIVITY_STATUS_PENDING"],
  },
];

/** What people filter by has no versions. */
const kinds = [...new Set(activityKinds.map(({ kind }) => kind))]
  .map((kind) => ({ id: kind, label: nameOfType(kind) }))
  .sort((a, b) => a.label.localeCompare(b.label));

/** The filters are in the address, so that a link shows the same. */
function useFilters() {
  const [search, setSearch] = useSearchParams();
  const status = statuses.find(({ id }) => id === search.get("status")) ?? statuses[0];
  const kind = kinds.find(({ id }) => id === search.get("kind"));
  const types = activityKinds
    .filter((each) => each.kind === kind?.id)
    // Every type of the language is one of the service's, or one that it may have later.
    .map(({ type }) => type as ActivityType);
  const set = (name: string, value: string | undefined) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === undefined) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return {
    status,
    kind,
    set,
    isSet: status?.id !== "all" || kind !== undefined,
    parameters: {
      ...(status && status.filter.length > 0 && { filterByStatus: status.filter }),
      ...(kind && { filterByType: types }),
    },
  };
}

export function Screen() {
  const { status, kind, set, isSet, parameters } = useFilters();
  const { query, pages } = usePages("list_activities", listActivities, parameters, {
    limit: 25,
    everyMs: 1000,
    isNewestFirst: true,
    idsOf: ({ activities }) => activities.map(({ id }) => id),
  });
  const [chosen, setChosen] = useState<ReadonlyMap<string, Activity>>(new Map());
  const [decided, setDecided] = useState<{ decision: Decision; activities: Activity[] }>();

  // What others have decided meanwhile can no longer be chosen.
  const listed = new Map(query.data?.activities.map((each) => [each.id, each]));
  const selection = [...chosen.values()]
    .map((each) => listed.get(each.id) ?? each)
    .filter(({ canApprove, canReject }) => canApprove || canReject);
  const approvable = selection.filter(({ canApprove }) => canApprove);
  const rejectable = selection.filter(({ canReject }) => canReject);
  const choose = (activity: Activity, isChosen: boolean) => {
    const next = new Map(chosen);
    if (isChosen) next.set(activity.id, activity);
    else next.delete(activity.id);
    setChosen(next);
  };

  return (
    <Page
      title="Activities"
      intro="Everything that was asked of this organization, the newest first."
    >
      <div className="filters">
        <Select
          label="Status"
          options={statuses.map(({ id, label }) => ({ id, label }))}
          value={status?.id ?? "all"}
          onChange={(key) => set("status", key === "all" ? undefined : String(key))}
        />
        <ComboBox
          label="Kind"
          placeholder="Any kind"
          options={kinds}
          menuTrigger="focus"
          defaultValue={kind?.id ?? null}
          onChange={(key) => set("kind", key === null ? undefined : String(key))}
        />
      </div>
      <Loaded query={query} what="activities" lines={8}>
        {({ activities }) =>
          activities.length === 0 ? (
            isSet ? (
              <Empty title="Nothing fits these filters">
                Change the status or the kind to see other activities.
              </Empty>
            ) : (
              <Empty title="Nothing has happened yet">What you and others do is listed here.</Empty>
            )
          ) : (
            <Table
              label="Activities"
              rows={activities}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => `/activities/${id}`}
              columns={columnsFor(activities, chosen, choose)}
            />
          )
        }
      </Loaded>
      <Pager {...pages} />
      {selection.length > 0 && (
        <section className="selection" aria-label="Chosen activities">
          <span className="selection-text" aria-live="polite">
            {selection.length === 1 ? "1 activity is chosen" : `${selection.length} are chosen`}
          </span>
          <Button kind="quiet" onPress={() => setChosen(new Map())}>
            Choose none
          </Button>
          <Button
            isDisabled={rejectable.length === 0}
            onPress={() => setDecided({ decision: "reject", activities: rejectable })}
          >
            Reject…
          </Button>
          <Button
            kind="primary"
            isDisabled={approvable.length === 0}
            onPress={() => setDecided({ decision: "approve", activities: approvable })}
          >
            Approve…
          </Button>
        </section>
      )}
      {decided && (
        <Suspense>
          <DecideDialog
            {...decided}
            onClose={() => {
              setDecided(undefined);
              setChosen(new Map());
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}

/** Boxes are there only where there is something to vote on. */
function columnsFor(
  activities: readonly Activity[],
  chosen: ReadonlyMap<string, Activity>,
  choose: (activity: Activity, isChosen: boolean) => void,
): Column<Activity>[] {
  const canVote = ({ canApprove, canReject }: Activity) => canApprove || canReject;
  const boxes: Column<Activity> = {
    name: "Vote",
    cell: (activity) =>
      canVote(activity) && (
        <Checkbox
          isSelected={chosen.has(activity.id)}
          onChange={(isChosen) => choose(activity, isChosen)}
        >
          <span className="visually-hidden">
            Choose {nameOfType(activity.type)}, asked by{" "}
            {seenName(activity.votes[0]?.user.userName ?? "")}
          </span>
        </Checkbox>
      ),
  };
  return [
    ...(activities.some(canVote) ? [boxes] : []),
    { name: "Activity", cell: ({ type }) => nameOfType(type), isMain: true },
    { name: "Status", cell: ({ status }) => <Status status={status} /> },
    { name: "By", cell: ({ votes }) => seenName(votes[0]?.user.userName ?? "") },
    { name: "Votes", cell: ({ votes }) => votes.length },
    { name: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
  ];
}
