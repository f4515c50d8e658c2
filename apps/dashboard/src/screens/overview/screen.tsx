import type { Activity } from "@keyhearth/sdk";
import { listActivities } from "@keyhearth/sdk";
import { Loaded } from "../../data/loaded.tsx";
import { useOrganization } from "../../data/organization.ts";
import { useRead } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { nameOfType, Status } from "../../ui/activity-status.tsx";
import { LinkButton } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Section } from "../../ui/page.tsx";
import { seenName } from "../../ui/seen.ts";
import { Empty, Loading } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { Checklist, useFirstSteps } from "./checklist.tsx";
import { Counts } from "./counts.tsx";
import { OverviewFrame } from "./frame.tsx";
import "./overview.css";

export function Screen() {
  const { session } = useCurrent();
  const organization = useOrganization();
  const waiting = useRead(
    "list_activities",
    listActivities,
    { filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"], paginationOptions: { limit: "20" } },
    { everyMs: 2000 },
  );
  const recent = useRead("list_activities", listActivities, { paginationOptions: { limit: "6" } });
  const firstSteps = useFirstSteps();
  // All of it is asked for at once and shown at once: a part that came later would move the others.
  const isLoading = [organization, waiting, recent, firstSteps.signed].some(
    (query) => query.isLoading,
  );
  const mine = waiting.data?.activities.filter(({ canApprove }) => canApprove);
  return (
    <OverviewFrame id={<CopyText text={session.organizationId} label="Copy the organization id" />}>
      {isLoading ? (
        <Loading what="your organization" lines={8} />
      ) : (
        <>
          {mine && <Waiting activities={mine} />}
          <Loaded query={organization} what="your organization">
            {({ organizationData }) => (
              <>
                <Checklist organization={organizationData} {...firstSteps} />
                <Section title="What there is">
                  <Counts organization={organizationData} />
                </Section>
              </>
            )}
          </Loaded>
          <Section
            title="Recent activity"
            actions={<LinkButton to="/activities">All activities</LinkButton>}
          >
            <Loaded query={recent} what="activities">
              {({ activities }) => <Recent activities={activities} />}
            </Loaded>
          </Section>
        </>
      )}
    </OverviewFrame>
  );
}

type ActivitiesProps = { activities: readonly Activity[] };

function Waiting({ activities }: ActivitiesProps) {
  if (activities.length === 0) {
    return (
      <p className="soft" role="status">
        Nothing waits for your approval.
      </p>
    );
  }
  return (
    <Section title="Waiting for you">
      <Table
        label="Activities that wait for your approval"
        rows={activities}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/activities/${id}`}
        columns={[
          { name: "Activity", cell: ({ type }) => nameOfType(type), isMain: true },
          { name: "Asked by", cell: ({ votes }) => seenName(votes[0]?.user.userName ?? "") },
          { name: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
      />
    </Section>
  );
}

function Recent({ activities }: ActivitiesProps) {
  if (activities.length === 0) {
    return <Empty title="Nothing has happened yet">What you and others do is listed here.</Empty>;
  }
  return (
    <Table
      label="Recent activities"
      rows={activities}
      keyOf={({ id }) => id}
      hrefOf={({ id }) => `/activities/${id}`}
      columns={[
        { name: "Activity", cell: ({ type }) => nameOfType(type), isMain: true },
        { name: "Status", cell: ({ status }) => <Status status={status} /> },
        { name: "By", cell: ({ votes }) => seenName(votes[0]?.user.userName ?? "") },
        { name: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
