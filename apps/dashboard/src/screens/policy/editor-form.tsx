import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import {
  type Connection,
  type CreatePolicyIntentV3,
  createPolicy,
  type Policy,
  type UpdatePolicyIntentV2,
  updatePolicy,
} from "@keyhearth/sdk";
import { useEffect, useState } from "react";
import { Controller, type UseFormReturn } from "react-hook-form";
import { useLocation } from "wouter";
import { useSubmit } from "../../data/submit.ts";
import type { Advice } from "../../policy-language/advice.ts";
import { ClauseField } from "../../policy-language/clause-field.tsx";
import {
  changesOf,
  type Draft,
  draftOf,
  NEW_POLICY,
  withDraft,
} from "../../policy-language/draft.ts";
import { useKnown } from "../../policy-language/known.ts";
import { templates } from "../../policy-language/templates.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/choices.tsx";
import { FormRadioGroup, FormTextArea } from "../../ui/form.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { FormProblem } from "../../ui/states.tsx";
import type { About } from "./about.ts";
import { ReviewDialog } from "./review.tsx";

const fields: Record<Clause, { label: string; hint: string; placeholder: string }> = {
  condition: {
    label: "Condition",
    hint: "Which requests the policy is about. Without it, all of them.",
    placeholder: "activity.kind == 'SIGN_TRANSACTION'",
  },
  consensus: {
    label: "Consensus",
    hint: "Whose approvals it takes, the one of whoever asks among them. Without it, no more are needed.",
    placeholder: "approvers.any(user, user.id == '…')",
  },
  time: {
    label: "Time",
    hint: "When the policy applies. Without it, always.",
    placeholder: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')",
  },
};

const order: readonly Clause[] = ["condition", "consensus", "time"];

/** What the update of a policy calls the fields. */
const renamed = {
  policyEffect: "effect",
  policyCondition: "condition",
  policyConsensus: "consensus",
  policyNotes: "notes",
} as const;

type Sent = { create: CreatePolicyIntentV3 } | { update: UpdatePolicyIntentV2 };

const send = async (connection: Connection, sent: Sent) =>
  "create" in sent ? createPolicy(connection, sent.create) : updatePolicy(connection, sent.update);

export function EditorForm({
  policies,
  policy,
  draft,
  form,
  onSaved,
}: About & {
  form: UseFormReturn<Draft>;
  /** Before a new policy's own screen is shown. */
  onSaved: () => void;
}) {
  const [, navigate] = useLocation();
  const [isReviewing, setReviewing] = useState(false);
  const known = useKnown();
  const advice = useAdvice({ policies, policy, draft }, known);
  const { control, handleSubmit, reset } = form;
  const { submit, isBusy, error } = useSubmit(send, {
    form,
    renamed,
    done: policy ? "The policy is saved" : "The policy is there",
  });
  const isWrong = CLAUSES.some((clause) => advice[clause].some(({ tone }) => tone === "wrong"));
  const isChanged = !policy || JSON.stringify(draftOf(policy)) !== JSON.stringify(draft);

  const save = async () => {
    setReviewing(false);
    const outcome = await submit(sentFor(policy, draft));
    if (outcome?.kind !== "done") return;
    const { policyId } = outcome.result;
    if (policy) {
      reset(draft);
      return;
    }
    onSaved();
    navigate(`/policies/${policyId}`);
  };

  return (
    <form className="stack" onSubmit={handleSubmit(() => setReviewing(true))}>
      {!policy && (
        <div className="filters">
          <Select
            label="Begin with"
            placeholder="An empty policy"
            hint="What is in capitals is to be replaced."
            options={templates.map(({ id, label }) => ({ id, label }))}
            onChange={(key) => {
              const template = templates.find(({ id }) => id === key);
              if (template) reset(template.draft, { keepDefaultValues: true });
            }}
          />
        </div>
      )}
      <FormText
        {...{ control }}
        name="policyName"
        label="Name"
        autoComplete="off"
        rules={{ required: "Give the policy a name." }}
      />
      <FormRadioGroup
        {...{ control }}
        name="effect"
        label="Effect"
        rules={{ required: "Choose what the policy does." }}
        options={[
          { id: "EFFECT_ALLOW", label: "Allow", hint: "what it is about." },
          { id: "EFFECT_DENY", label: "Deny", hint: "it, whatever others allow." },
        ]}
      />
      {order.map((clause) => {
        const { label, hint, placeholder } = fields[clause];
        return (
          <Controller
            key={clause}
            name={clause}
            control={control}
            render={({ field, fieldState }) => (
              <ClauseField
                {...{ label, hint, clause }}
                placeholder={placeholder}
                value={field.value}
                onChange={field.onChange}
                onBlur={field.onBlur}
                focusRef={field.ref}
                error={fieldState.error?.message}
                marks={advice[clause]}
                knownValues={known?.values ?? (() => [])}
              />
            )}
          />
        );
      })}
      <FormTextArea {...{ control }} name="notes" label="Notes" rows={3} />
      <FormProblem error={error} />
      <div className="row">
        <Button type="submit" kind="primary" isPending={isBusy} isDisabled={isWrong || !isChanged}>
          {policy ? "Save…" : "Create the policy…"}
        </Button>
        {policy && isChanged && (
          <Button kind="quiet" onPress={() => reset(draftOf(policy))}>
            Discard the changes
          </Button>
        )}
        {isWrong && <span className="field-error">Correct what is underlined first.</span>}
      </div>
      {isReviewing && (
        <ReviewDialog
          {...{ policy, draft, advice }}
          onClose={() => setReviewing(false)}
          onSave={() => void save()}
        />
      )}
    </form>
  );
}

function sentFor(policy: Policy | undefined, draft: Draft): Sent {
  if (policy) return { update: changesOf(policy, draft) };
  const { policyName, effect, condition, consensus, time, notes } = draft;
  const clauses = {
    ...(condition !== "" && { condition }),
    ...(consensus !== "" && { consensus }),
    ...(time !== "" && { time }),
  };
  return { create: { policyName, effect, notes, ...clauses } };
}

const nothing: Advice = { condition: [], consensus: [], time: [] };

/** Soon after each change. What finds it is loaded when it is needed. */
function useAdvice({ policies, policy, draft }: About, known: ReturnType<typeof useKnown>): Advice {
  const [advice, setAdvice] = useState(nothing);
  const { policyName, effect, condition, consensus, time } = draft;
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      void import("../../policy-language/advice.ts").then(({ adviceOn }) => {
        if (!isCurrent) return;
        const written = { policyName, effect, condition, consensus, time, notes: "" };
        const all = withDraft(policies, policy?.policyId, written);
        setAdvice(adviceOn(all, policy?.policyId ?? NEW_POLICY, known?.lints ?? {}));
      });
    }, 150);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [policies, policy?.policyId, policyName, effect, condition, consensus, time, known?.lints]);
  return advice;
}
