import Link from "@docusaurus/Link";
import Translate from "@docusaurus/Translate";
import { type Activity, getActivity } from "@keyhearth/sdk";
import { useCallback, useEffect, useState } from "react";
import type { Connected } from "./connected.ts";
import { Decide } from "./Decide.tsx";
import { Failure } from "./Failure.tsx";
import { NeededApprovals } from "./NeededApprovals.tsx";
import { Shown } from "./Shown.tsx";
import { connect } from "./sending.ts";
import { type Told, tell } from "./sentences.ts";
import styles from "./TryIt.module.css";

type Props = { first: Activity; connected: Connected };

/** How long until an activity is read again: soon if the service works on it, later if people decide about it. */
const waitMs: Partial<Record<Activity["status"], number>> = {
  ACTIVITY_STATUS_CREATED: 500,
  ACTIVITY_STATUS_PENDING: 500,
  ACTIVITY_STATUS_CONSENSUS_NEEDED: 3000,
};

/** Where an activity stands, read again until it ends. */
export function ActivityStatus({ first, connected }: Props) {
  const [activity, setActivity] = useState(first);
  const [told, setTold] = useState<Told | null>(null);
  const { id, organizationId, status } = activity;
  const isOver = waitMs[status] === undefined;

  const read = useCallback(async () => {
    try {
      const answer = await getActivity(connect(connected), { activityId: id }, { organizationId });
      setActivity(answer.activity);
      setTold(null);
    } catch (error) {
      setTold(tell(error, connected));
    }
  }, [connected, id, organizationId]);

  useEffect(() => {
    const wait = waitMs[activity.status];
    // A passkey would ask its owner each time.
    if (wait === undefined || connected.asksEachTime || told !== null) return;
    const timer = setTimeout(read, wait);
    return () => clearTimeout(timer);
  }, [activity, connected, read, told]);

  return (
    <>
      <p className={styles.activity}>
        <Translate
          id="tryIt.activity"
          values={{
            id: <code>{id}</code>,
            status: (
              <b data-status={status} className={styles.state}>
                {status}
              </b>
            ),
          }}
        >
          {"Activity {id}: {status}"}
        </Translate>
      </p>
      {status === "ACTIVITY_STATUS_CONSENSUS_NEEDED" && (
        <>
          <p>
            <Translate
              id="tryIt.activity.waits"
              values={{
                link: (
                  <Link to="/developer-reference/api-overview/submissions">
                    <Translate id="tryIt.activity.waits.link">About approvals</Translate>
                  </Link>
                ),
              }}
            >
              {"It waits for more approvals. Nothing is executed before they are given. {link}"}
            </Translate>
          </p>
          <NeededApprovals activity={activity} connected={connected} />
          <Decide activity={activity} connected={connected} onDecided={setActivity} />
        </>
      )}
      {!isOver && (connected.asksEachTime || told !== null) && (
        <button type="button" className={styles.secondary} onClick={read}>
          <Translate id="tryIt.activity.again">Read it again</Translate>
        </button>
      )}
      <Failure told={told} />
      {activity !== first && <Shown title={`${status}`} text={JSON.stringify(activity, null, 2)} />}
    </>
  );
}
