import { type Activity, getActivity } from "@keyhearth/sdk";
import { lazy, Suspense, useState } from "react";
import type { ScreenProps } from "../../app/screen.ts";
import type { Decision } from "../../approvals/decide-dialog.tsx";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { nameOfType, Status } from "../../ui/activity-status.tsx";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { seenName } from "../../ui/seen.ts";
import { Table } from "../../ui/table.tsx";
import { Time } from "../../ui/time.tsx";
import { Failure } from "./failure.tsx";
import { MissingApprovals } from "./missing.tsx";
import { Policies } from "./policies.tsx";
import { Receipt } from "./receipt.tsx";
import { Asked } from "./request.tsx";
import { Result } from "./result.tsx";
import "../../approvals/approvals.css";

const DecideDialog = lazy(async () => ({
  default: (await import("../../approvals/decide-dialog.tsx")).DecideDialog,
}));

export function Screen({ params }: ScreenProps) {
  const { activityId = "" } = params;
  const [isOver, setOver] = useState(false);
  const read = useRead(
    "get_activity",
    getActivity,
    { activityId },
    isOver ? {} : { everyMs: 1000 },
  );
  const shown = read.data?.activity;
  // What has ended does not change.
  if (shown !== undefined && hasEnded(shown) !== isOver) setOver(!isOver);
  const [decision, setDecision] = useState<Decision>();
  return (
    <Page
      title={shown ? nameOfType(shown.type) : "Activity"}
      crumbs={[{ title: "Activities", to: "/activities" }]}
      actions={
        shown && (
          <>
            {shown.canReject && <Button onPress={() => setDecision("reject")}>Reject…</Button>}
            {shown.canApprove && (
              <Button kind="primary" onPress={() => setDecision("approve")}>
                Approve…
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded query={read} what="the activity">
        {({ activity }) => <Shown activity={activity} />}
      </Loaded>
      {shown && decision && (
        <Suspense>
          <DecideDialog
            activities={[shown]}
            decision={decision}
            onClose={() => setDecision(undefined)}
          />
        </Suspense>
      )}
    </Page>
  );
}

function hasEnded({ status }: Activity): boolean {
  return (
    status === "ACTIVITY_STATUS_COMPLETED" ||
    status === "ACTIVITY_STATUS_FAILED" ||
    status === "ACTIVITY_STATUS_REJECTED"
  );
}

function Shown({ activity }: { activity: Activity }) {
  const { id, status, fingerprint, createdAt, updatedAt, votes, failure } = activity;
  const isWaiting = status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";
  return (
    <>
      <div className="card" aria-live="polite">
        <Facts
          facts={[
            ["Status", <Status key="status" status={status} />],
            ["Asked by", seenName(votes[0]?.user.userName ?? "")],
            ["Asked", <Time key="created" at={createdAt} />],
            ["Last change", <Time key="updated" at={updatedAt} />],
            ["Id", <CopyText key="id" text={id} label="Copy the activity id" />],
            [
              "Fingerprint",
              <CopyText key="fingerprint" text={fingerprint} label="Copy the fingerprint" />,
            ],
          ]}
        />
      </div>
      {failure && <Failure failure={failure} isWaiting={isWaiting} />}
      {isWaiting && !failure && <MissingApprovals activity={activity} />}
      <Section title="What was asked">
        <Asked activity={activity} />
      </Section>
      {status === "ACTIVITY_STATUS_COMPLETED" && <Result activity={activity} />}
      <Section title="Votes">
        <Votes activity={activity} />
      </Section>
      <Section title="What the policies said">
        <Policies activityId={id} votes={votes.length} />
      </Section>
      <Section title="Receipt">
        <Receipt activityId={id} {...{ fingerprint }} version={`${status} ${votes.length}`} />
      </Section>
    </>
  );
}

function Votes({ activity: { votes } }: { activity: Activity }) {
  return (
    <Table
      label="Votes"
      rows={votes}
      keyOf={({ id }) => id}
      columns={[
        { name: "User", cell: ({ user }) => seenName(user.userName), isMain: true },
        {
          name: "Vote",
          cell: ({ selection }) => (
            <span>{selection === "VOTE_SELECTION_APPROVED" ? "Approved" : "Rejected"}</span>
          ),
        },
        {
          name: "Signed with",
          cell: ({ scheme }) => (scheme.includes("WEBAUTHN") ? "a passkey" : "an API key"),
        },
        { name: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  );
}
