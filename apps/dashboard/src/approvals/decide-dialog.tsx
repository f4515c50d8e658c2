import { type Activity, approve, Connection, getUser, reject, SessionEnded } from "@keyhearth/sdk";
import type { VerifiedRequest } from "@keyhearth/sdk/crypto";
import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, CircleCheck } from "lucide-react";
import { useState } from "react";
import { useRead } from "../data/read.ts";
import { useCurrent } from "../session/current.tsx";
import { Transaction, transactionIn } from "../transaction/transaction.tsx";
import { nameOfType } from "../ui/activity-status.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog, DialogActions } from "../ui/dialog.tsx";
import { RadioGroup } from "../ui/fields.tsx";
import { problemOf } from "../ui/problems.ts";
import { seenName } from "../ui/seen.ts";
import { Notice } from "../ui/states.tsx";
import { tell } from "../ui/toasts.tsx";
import { Parameters } from "./all-parameters.tsx";
import { useVerified, type Verification } from "./verified.ts";
import "./approvals.css";

export type Decision = "approve" | "reject";

type Became =
  | { kind: "voted"; status: Activity["status"] }
  | { kind: "failed"; text: string }
  | undefined;

const words = {
  approve: { verb: "Approve", done: "Approved", kind: "primary" },
  reject: { verb: "Reject", done: "Rejected", kind: "danger" },
} as const;

/**
 * Asks before votes are given, one after the other. What is shown is what the requesters stamped, and a vote is stamped
 * for those bytes alone. People with a passkey use it, once for each activity.
 */
export function DecideDialog({
  activities: given,
  decision,
  onClose,
}: {
  activities: readonly Activity[];
  decision: Decision;
  onClose: () => void;
}) {
  const { service, connection, session } = useCurrent();
  const queries = useQueryClient();
  // The screen reads them again meanwhile. What somebody is deciding on must not become something else under the button.
  const [activities] = useState(given);
  const verificationOf = useVerified(activities);
  const passkeys = usePasskeys();
  const [way, setWay] = useState<string>();
  const [became, setBecame] = useState<ReadonlyMap<string, Became>>(new Map());
  const [isBusy, setBusy] = useState(false);
  const { verb, done, kind } = words[decision];

  // A rejection ends a request for everybody, so it is given only to one that was read, as an approval is.
  const open = activities.filter(({ id }) => {
    return verificationOf(id).status === "verified" && became.get(id)?.kind !== "voted";
  });
  const withPasskey = (way ?? (passkeys.length > 0 ? "passkey" : "session")) === "passkey";

  const vote = async (activity: Activity): Promise<Became> => {
    const voter = withPasskey ? await passkeyConnection(passkeys) : connection;
    const shown = verificationOf(activity.id);
    const isShown = ({ body, organizationId }: Pick<VerifiedRequest, "body" | "organizationId">) =>
      shown.status === "verified" &&
      shown.request.body === body &&
      organizationId === session.organizationId;
    try {
      const { activity: voted } =
        decision === "reject"
          ? await reject(voter, activity, { decide: isShown })
          : await approve(voter, activity, isShown);
      return { kind: "voted", status: voted.status };
    } catch (error) {
      if (error instanceof SessionEnded) throw error;
      return { kind: "failed", text: problemOf(error).text };
    }
  };

  const voteOnAll = async () => {
    setBusy(true);
    const results = new Map(became);
    try {
      for (const activity of open) {
        results.set(activity.id, await vote(activity));
        setBecame(new Map(results));
      }
      const failures = [...results.values()].filter((each) => each?.kind === "failed").length;
      if (failures === 0) {
        const [first, ...others] = activities;
        const what =
          others.length === 0 && first ? nameOfType(first.type) : `${results.size} activities`;
        tell({ title: `${done}: ${what}` });
        onClose();
      }
    } catch {
      // The session ended: people log in again over this, and press the button again.
    } finally {
      setBusy(false);
      void queries.invalidateQueries({ queryKey: ["api"] });
    }
  };

  const passkeyConnection = async (allowCredentials: readonly string[]) => {
    const { WebAuthnStamper } = await import("@keyhearth/sdk/stampers/webauthn");
    return new Connection({
      baseUrl: service.baseUrl,
      organizationId: session.organizationId,
      stamper: new WebAuthnStamper({ allowCredentials }),
    });
  };

  const title =
    activities.length === 1 ? `${verb} this?` : `${verb} ${activities.length} activities?`;
  return (
    <Dialog {...{ title, onClose }} isOpen isWide role="alertdialog" mustAnswer={isBusy}>
      <ul className="decide-list">
        {activities.map((activity) => (
          <li key={activity.id} className="decide-item">
            <Asked {...{ activity }} verification={verificationOf(activity.id)} />
            <Became became={became.get(activity.id)} done={done} />
          </li>
        ))}
      </ul>
      {decision === "reject" && (
        <p className="soft">
          What is rejected ends, also for all others who could have approved it.
        </p>
      )}
      {passkeys.length > 0 && (
        <RadioGroup
          label="Sign the vote with"
          value={withPasskey ? "passkey" : "session"}
          onChange={setWay}
          options={[
            {
              id: "passkey",
              label: "Your passkey.",
              hint:
                activities.length === 1 ? "The browser asks for it." : "The browser asks for each.",
            },
            { id: "session", label: "The key of this session." },
          ]}
        />
      )}
      <DialogActions>
        <Button onPress={onClose} isDisabled={isBusy}>
          Cancel
        </Button>
        <Button
          {...{ kind }}
          isPending={isBusy}
          isDisabled={open.length === 0}
          onPress={() => void voteOnAll()}
        >
          {open.length > 1 ? `${verb} ${open.length} activities` : verb}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Asked({ activity, verification }: { activity: Activity; verification: Verification }) {
  const by = seenName(activity.votes[0]?.user.userName ?? "somebody");
  if (verification.status === "refused") {
    return (
      <div className="stack-small">
        <strong>{nameOfType(activity.type)}</strong>
        <Notice tone="danger" icon={<CircleAlert size={18} aria-hidden />}>
          {problemOf(verification.error).text}
        </Notice>
      </div>
    );
  }
  return (
    <div>
      <strong>
        {nameOfType(verification.status === "verified" ? verification.request.type : activity.type)}
      </strong>{" "}
      <span className="soft">asked by {by}</span>
      {verification.status === "verified" && <Brief {...verification.request} />}
    </div>
  );
}

function Brief({ type, parameters }: Pick<VerifiedRequest, "type" | "parameters">) {
  const transaction = transactionIn(parameters);
  return (
    <div className="decide-brief stack-small">
      {transaction && <Transaction {...transaction} isBrief />}
      <Parameters {...{ type, parameters }} />
    </div>
  );
}

function Became({ became, done }: { became: Became; done: string }) {
  if (!became) return null;
  if (became.kind === "voted") {
    return (
      <span className="decide-done">
        <CircleCheck size={16} aria-hidden /> {done}
      </span>
    );
  }
  return (
    <p className="field-error" role="alert">
      {became.text}
    </p>
  );
}

/** The ids of the passkeys of whoever is logged in. */
function usePasskeys(): readonly string[] {
  const { session } = useCurrent();
  const user = useRead("get_user", getUser, { userId: session.userId });
  return user.data?.user.authenticators.map(({ credentialId }) => credentialId) ?? [];
}
