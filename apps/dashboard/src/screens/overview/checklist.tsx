import { listActivities, type OrganizationData } from "@keyhearth/sdk";
import { CircleCheck, CircleDashed } from "lucide-react";
import { useState } from "react";
import { Link } from "wouter";
import { useDocs } from "../../data/docs.ts";
import { useRead } from "../../data/read.ts";
import { useCurrent } from "../../session/current.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";

type Step = {
  title: string;
  why: string;
  to: string;
  action: string;
  docs: string;
  isDone: boolean;
};

const HIDDEN = "keyhearth-checklist-hidden";

/** Whether to show them, and whether somebody has signed something. */
export function useFirstSteps() {
  const { session } = useCurrent();
  const [isHidden, setHidden] = useState(() => hiddenIn(session.organizationId));
  const signed = useRead(
    "list_activities",
    listActivities,
    {
      filterByType: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", "ACTIVITY_TYPE_SIGN_TRANSACTION_V2"],
      paginationOptions: { limit: "1" },
    },
    { isEnabled: !isHidden },
  );
  const hide = () => {
    hideIn(session.organizationId);
    setHidden(true);
  };
  return { isHidden, hide, signed };
}

/** What a new organization should do. It goes away once all of it is done, or if people hide it. */
export function Checklist({
  organization,
  isHidden,
  hide,
  signed,
}: { organization: OrganizationData } & ReturnType<typeof useFirstSteps>) {
  const { session } = useCurrent();
  const docs = useDocs();
  if (isHidden || signed.data === undefined) return null;
  const steps = stepsOf(organization, session.userId, signed.data.activities.length > 0);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <Section
      title="First steps"
      actions={
        <div className="row">
          <span className="faint">
            {done} of {steps.length} done
          </span>
          <Button kind="quiet" isSmall onPress={hide}>
            Hide
          </Button>
        </div>
      }
    >
      <div className="card">
        <ul className="steps">
          {steps.map(({ title, why, to, action, docs: page, isDone }) => (
            <li key={title} data-done={isDone || undefined}>
              {isDone ? (
                <CircleCheck size={20} aria-hidden />
              ) : (
                <CircleDashed size={20} aria-hidden />
              )}
              <div>
                <strong className="step-title">
                  {title}
                  {isDone && <span className="visually-hidden"> (done)</span>}
                </strong>
                {!isDone && (
                  <>
                    <div className="soft">{why}</div>
                    <div className="row">
                      <Link href={to}>{action}</Link>
                      <a href={docs(page)} target="_blank" rel="noreferrer">
                        Why and how
                        <span className="visually-hidden">: {title}</span>
                      </a>
                    </div>
                  </>
                )}
              </div>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

function stepsOf(organization: OrganizationData, ownId: string, hasSigned: boolean): Step[] {
  const { users = [], wallets = [], policies = [], rootQuorum } = organization;
  const me = users.find(({ userId }) => userId === ownId);
  const lasting =
    (me?.authenticators.length ?? 0) +
    (me?.apiKeys.filter(({ expirationSeconds }) => !expirationSeconds).length ?? 0);
  const own: Step[] = [
    {
      title: "A second way in for you",
      why: "If your only passkey is lost, nobody can let you in again.",
      to: `/users/${ownId}`,
      action: "Add a passkey",
      docs: "/concepts/users/credentials",
      isDone: lasting > 1,
    },
  ];
  if (!rootQuorum?.userIds.includes(ownId)) return own;
  return [
    ...own,
    {
      title: "A second root user",
      why: "Invite somebody, and let more than one person decide about everything.",
      to: "/users?show=quorum",
      action: "Open the root quorum",
      docs: "/concepts/users/root-quorum",
      isDone: rootQuorum.userIds.length > 1,
    },
    {
      title: "A first wallet",
      why: "A wallet is a seed, and has addresses on every chain.",
      to: "/wallets",
      action: "Create a wallet",
      docs: "/concepts/wallets",
      isDone: wallets.length > 0,
    },
    {
      title: "A first policy",
      why: "It says who may do what, and how many have to approve.",
      to: "/policies",
      action: "Write a policy",
      docs: "/concepts/policies/quickstart",
      isDone: policies.length > 0,
    },
    {
      title: "A first signature",
      why: "Sign a message with an address of your wallet.",
      to: "/wallets",
      action: "Open the wallets",
      docs: "/getting-started/quickstart",
      isDone: hasSigned,
    },
  ];
}

function hiddenIn(organizationId: string): boolean {
  try {
    return (localStorage.getItem(HIDDEN) ?? "").includes(organizationId);
  } catch {
    return false;
  }
}

function hideIn(organizationId: string) {
  try {
    const hidden = (localStorage.getItem(HIDDEN) ?? "").split(" ").filter(Boolean).slice(-9);
    localStorage.setItem(HIDDEN, [...hidden, organizationId].join(" "));
  } catch {
    // Then it comes back after a reload.
  }
}
