import Translate, { translate } from "@docusaurus/Translate";
import type { Activity } from "@keyhearth/sdk";
import { useState } from "react";
import type { Draft } from "../policies/playground/read-policies.ts";
import { ConnectForm } from "./ConnectForm.tsx";
import { type Connected, useConnected } from "./connected.ts";
import { Failure } from "./Failure.tsx";
import { listOwn, ownPolicies, requestOf } from "./own-requests.ts";
import { Reader } from "./Reader.tsx";
import { type Told, tell } from "./sentences.ts";
import styles from "./TryIt.module.css";
import { useService } from "./use-service.ts";

type Props = {
  onRequest: (json: string) => void;
  onPolicies: (policies: readonly Draft[]) => void;
};

/** Connects the page, and takes policies and activities of the reader's organization into the playground. */
export function OwnRequests(props: Props) {
  const service = useService();
  const connected = useConnected();
  return (
    <section
      className={styles.panel}
      aria-label={translate({ id: "own.panel", message: "Your organization" })}
    >
      {connected ? (
        <>
          <Reader connected={connected} />
          <Choice connected={connected} {...props} />
        </>
      ) : (
        <ConnectForm service={service} />
      )}
    </section>
  );
}

function Choice({ connected, onRequest, onPolicies }: Props & { connected: Connected }) {
  const [activities, setActivities] = useState<Activity[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<Told | null>(null);
  const [done, setDone] = useState("");

  async function run(work: () => Promise<string>) {
    setBusy(true);
    setTold(null);
    setDone("");
    try {
      setDone(await work());
    } catch (error) {
      setTold(tell(error, connected));
    }
    setBusy(false);
  }

  const takePolicies = () =>
    run(async () => {
      const policies = await ownPolicies(connected);
      onPolicies(policies);
      return translate(
        { id: "own.policies.done", message: "Policies taken over: {count}." },
        { count: String(policies.length) },
      );
    });
  const list = () =>
    run(async () => {
      const found = await listOwn(connected);
      setActivities(found);
      if (found.length > 0) return "";
      return translate({ id: "own.none", message: "The organization has no activity yet." });
    });
  const take = (activity: Activity) =>
    run(async () => {
      onRequest(await requestOf(connected, activity));
      return translate(
        { id: "own.taken", message: "The request below is now {type}." },
        { type: activity.type },
      );
    });

  return (
    <>
      <div className={styles.actions}>
        <button type="button" className={styles.secondary} disabled={isBusy} onClick={takePolicies}>
          <Translate id="own.policies">Take its policies</Translate>
        </button>
        <button type="button" className={styles.secondary} disabled={isBusy} onClick={list}>
          <Translate id="own.list">List its newest activities</Translate>
        </button>
      </div>
      {activities && activities.length > 0 && (
        <ul
          className={styles.own}
          aria-label={translate({ id: "own.activities", message: "Activities" })}
        >
          {activities.map((activity) => (
            <li key={activity.id}>
              <button
                type="button"
                className={styles.link}
                disabled={isBusy}
                onClick={() => take(activity)}
              >
                {activity.type.replace("ACTIVITY_TYPE_", "")}
              </button>{" "}
              <span>
                {new Date(Number(activity.createdAt.seconds) * 1000).toISOString().slice(0, 16)}Z{" "}
                {activity.status.replace("ACTIVITY_STATUS_", "")}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p role="status" className={styles.hint}>
        {done ||
          translate({
            id: "own.what",
            message:
              "Nothing is written: the page reads lists, and asks what policies would see of the activity that you choose.",
          })}
      </p>
      <Failure told={told} />
    </>
  );
}
