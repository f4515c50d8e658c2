import Translate, { translate } from "@docusaurus/Translate";
import { type Activity, approve, Cancelled, reject, type VerifiedRequest } from "@keyhearth/sdk";
import { useState } from "react";
import type { Connected } from "./connected.ts";
import { Failure } from "./Failure.tsx";
import { Shown } from "./Shown.tsx";
import { connect } from "./sending.ts";
import { type Told, tell } from "./sentences.ts";
import styles from "./TryIt.module.css";

type Props = {
  activity: Activity;
  connected: Connected;
  onDecided: (activity: Activity) => void;
};

type Question = { request: VerifiedRequest; answer: (isApproved: boolean) => void };

/** Approves an activity after the reader has seen its verified bytes, or rejects it. */
export function Decide({ activity, connected, onDecided }: Props) {
  const [question, setQuestion] = useState<Question | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [told, setTold] = useState<Told | null>(null);
  const { id, canApprove, canReject } = activity;

  async function decide(vote: () => Promise<{ activity: Activity }>) {
    setBusy(true);
    setTold(null);
    try {
      onDecided((await vote()).activity);
    } catch (error) {
      const isDeclined = error instanceof Cancelled && error.code === "DECLINED";
      if (!isDeclined) setTold(tell(error, connected));
    }
    setQuestion(null);
    setBusy(false);
  }

  const ask = (request: VerifiedRequest) =>
    new Promise<boolean>((answer) => setQuestion({ request, answer }));
  const approveIt = () => decide(() => approve(connect(connected), activity, ask));
  const rejectIt = () => decide(() => reject(connect(connected), activity));

  return (
    <>
      {!canApprove && (
        <p>
          <Translate
            id="tryIt.decide.others"
            values={{ command: <code>{`client.approve("${id}", decide)`}</code> }}
          >
            {
              "An approval by you would not count now. Somebody else connects here and reads the activity by get_activity, or calls {command} of the SDK."
            }
          </Translate>
        </p>
      )}
      {question && (
        <>
          <Shown
            title={translate({
              id: "tryIt.decide.request",
              message: "The request, whose stamp was verified here",
            })}
            text={question.request.body}
            isOpen
          />
          <div className={styles.actions}>
            <button type="button" className={styles.primary} onClick={() => question.answer(true)}>
              <Translate id="tryIt.decide.yes">Approve exactly this</Translate>
            </button>
            <button
              type="button"
              className={styles.secondary}
              onClick={() => question.answer(false)}
            >
              <Translate id="tryIt.decide.no">Do not approve</Translate>
            </button>
          </div>
        </>
      )}
      {!question && (canApprove || canReject) && (
        <div className={styles.actions}>
          {canApprove && (
            <button type="button" className={styles.primary} disabled={isBusy} onClick={approveIt}>
              <Translate id="tryIt.decide.review">Review and approve</Translate>
            </button>
          )}
          {canReject && (
            <button type="button" className={styles.secondary} disabled={isBusy} onClick={rejectIt}>
              <Translate id="tryIt.decide.reject">Reject</Translate>
            </button>
          )}
        </div>
      )}
      <Failure told={told} />
    </>
  );
}
