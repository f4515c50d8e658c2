import { type UpdateRootQuorumIntent, updateRootQuorum } from "@keyhearth/sdk";
import { TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { useSubmit } from "../../data/submit.ts";
import { useCurrent } from "../../session/current.tsx";
import { Button } from "../../ui/button.tsx";
import { FormChecks } from "../../ui/checks.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormNumber } from "../../ui/form.tsx";
import { seenName } from "../../ui/seen.ts";
import { FormProblem, Notice } from "../../ui/states.tsx";
import { judgeQuorum, sentenceOf } from "./quorum.ts";
import { credentialsOf, type Team } from "./team.ts";
import "./users.css";

/** The users who can do everything together, whatever the policies say. */
export function RootQuorum({ team }: { team: Team }) {
  const { session } = useCurrent();
  const { users, quorum } = team;
  const form = useForm({
    values: { threshold: quorum.threshold, userIds: [...quorum.userIds] },
    // What others change meanwhile replaces nothing that was chosen here.
    resetOptions: { keepDirtyValues: true },
  });
  const { control, handleSubmit, reset, formState } = form;
  const { threshold, userIds } = useWatch({ control });
  const wanted = { threshold: threshold ?? Number.NaN, userIds: userIds ?? [] };
  const { refusals, warnings } = judgeQuorum(wanted, {
    users,
    ownId: session.userId,
    before: quorum,
  });
  const [isAsking, setAsking] = useState(false);
  const { submit, isBusy, error } = useSubmit(
    (connection, parameters: UpdateRootQuorumIntent) => updateRootQuorum(connection, parameters),
    { form, done: "The root quorum is changed" },
  );
  return (
    <div className="card stack quorum">
      <p>
        <strong>{sentenceOf(quorum, users)}</strong>{" "}
        <span className="soft">
          Root users need no policy. Everybody else needs one that allows what they ask for.
        </span>
      </p>
      <form
        className="stack"
        noValidate
        onSubmit={handleSubmit(() => {
          if (refusals.length === 0) setAsking(true);
        })}
      >
        <FormChecks
          {...{ control }}
          name="userIds"
          label="Root users"
          options={users.map((user) => ({
            id: user.userId,
            label: seenName(user.userName),
            hint: credentialsOf(user),
          }))}
        />
        <FormNumber
          {...{ control }}
          name="threshold"
          label="Approvals needed"
          minValue={1}
          hint="How many of the root users must agree."
        />
        <div aria-live="polite" className="stack-small">
          {formState.isDirty && refusals.length === 0 && <p>{sentenceOf(wanted, users)}</p>}
          {formState.isDirty &&
            refusals.map((text) => (
              <Notice key={text} tone="danger" icon={<TriangleAlert size={18} aria-hidden />}>
                {text}
              </Notice>
            ))}
          {formState.isDirty &&
            warnings.map((text) => (
              <Notice key={text} tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
                {text}
              </Notice>
            ))}
        </div>
        <FormProblem error={error} />
        <div className="row">
          <Button
            type="submit"
            kind="primary"
            isPending={isBusy}
            isDisabled={!formState.isDirty || refusals.length > 0}
          >
            Change the root quorum
          </Button>
          {formState.isDirty && (
            <Button kind="quiet" onPress={() => reset()}>
              Discard the changes
            </Button>
          )}
        </div>
      </form>
      <ConfirmDialog
        title="Change the root quorum?"
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        action="Change it"
        onConfirm={async () => {
          const outcome = await submit(wanted);
          // What waits for approvals has not happened, so the form keeps what was asked for.
          if (outcome?.kind === "done") reset(wanted);
        }}
      >
        <p>
          Now: {sentenceOf(quorum, users)}
          <br />
          Then: {sentenceOf(wanted, users)}
        </p>
        {warnings.map((text) => (
          <p key={text}>{text}</p>
        ))}
        <p>
          {quorum.threshold === 1
            ? "It takes effect at once."
            : `It takes effect once ${quorum.threshold} of today’s root users have approved it.`}
        </p>
      </ConfirmDialog>
    </div>
  );
}
