import type { Activity } from "@keyhearth/sdk";
import { ShieldAlert, ShieldCheck } from "lucide-react";
import { Parameters } from "../../approvals/all-parameters.tsx";
import { useVerified } from "../../approvals/verified.ts";
import { Transaction, transactionIn } from "../../transaction/transaction.tsx";
import { nameOfType } from "../../ui/activity-status.tsx";
import { problemOf } from "../../ui/problems.ts";
import { seen, seenName } from "../../ui/seen.ts";
import { Loading, Notice } from "../../ui/states.tsx";

/** The request from the bytes that its requester stamped. The intent that the service shows is not used. */
export function Asked({ activity }: { activity: Activity }) {
  const verification = useVerified([activity])(activity.id);
  if (verification.status === "reading") return <Loading what="the request" lines={3} />;
  if (verification.status === "refused") {
    return (
      <Notice tone="danger" icon={<ShieldAlert size={18} aria-hidden />}>
        <strong>What was asked cannot be proven</strong>
        <span>{problemOf(verification.error).text}</span>
      </Notice>
    );
  }
  const { parameters, body, type } = verification.request;
  const transaction = transactionIn(parameters);
  return (
    <div className="card stack">
      <p className="row soft">
        <ShieldCheck size={18} aria-hidden className="good" />
        Read in this browser from what {seenName(activity.votes[0]?.user.userName ?? "somebody")}{" "}
        signed. Its fingerprint and its signature are right. Only the service says whose key signed
        it.
      </p>
      <strong>{nameOfType(type)}</strong>
      <Parameters {...{ type, parameters }} />
      {transaction && (
        <div className="stack-small">
          <h3>What the transaction does</h3>
          <Transaction {...transaction} />
        </div>
      )}
      <details>
        <summary className="soft">The request, character for character</summary>
        <pre className="value-long">{seen(body)}</pre>
      </details>
    </div>
  );
}
