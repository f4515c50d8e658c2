import { type Connection, ConsensusNeeded, SessionEnded } from "@keyhearth/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import type { FieldPath, FieldValues, UseFormReturn } from "react-hook-form";
import { useCurrent } from "../session/current.tsx";
import { problemOf } from "../ui/problems.ts";
import { type Toast, tell } from "../ui/toasts.tsx";
import { fieldErrors } from "./field-errors.ts";

/** What became of a submission. Undefined if it failed, which the form or a toast says. */
export type Outcome<Result> =
  | { kind: "done"; result: Result }
  | { kind: "waits"; activityId: string }
  | undefined;

type Options<Result, Values extends FieldValues> = {
  /** What the service says about a field is shown at the field of this form. */
  form?: UseFormReturn<Values>;
  /** Fields that the form calls by another name, by their name in the request. */
  renamed?: Readonly<Record<string, FieldPath<Values>>>;
  /** What the toast says. Without it, nothing is told, because the screen shows it. */
  done?: string | ((result: Result) => Toast);
  /** After it was done, or after it began to wait for approvals. */
  onSent?: (outcome: NonNullable<Outcome<Result>>) => void;
};

/**
 * Every submission of the dashboard goes through this. It sends one at a time, shows what is wrong with fields at the form's
 * fields, tells of what waits for approvals with a link to it, and has all lists read again. After an expiry the form stays as
 * it is: people log in again over it, and press the button again. The service executes nothing twice.
 *
 *     const { submit, isBusy, error } = useSubmit(
 *       (connection, parameters: CreateWalletIntent) => createWallet(connection, parameters),
 *       { form, done: "The wallet is there" },
 *     );
 *     <form onSubmit={form.handleSubmit((values) => submit(values))}> … <FormProblem error={error} />
 */
export function useSubmit<Parameters, Result, Values extends FieldValues = FieldValues>(
  send: (connection: Connection, parameters: Parameters) => Promise<Result>,
  { form, renamed, done, onSent }: Options<Result, Values> = {},
) {
  const { connection } = useCurrent();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const show = (cause: unknown) => {
    // The page asks people to log in again, and the form needs no second text.
    if (cause instanceof SessionEnded) return;
    const names = form ? (Object.keys(flat(form.getValues())) as FieldPath<Values>[]) : [];
    const { atFields, rest } = fieldErrors(cause, names, renamed);
    for (const { name, message } of atFields) {
      form?.setError(name, { type: "service", message }, { shouldFocus: true });
    }
    setError(rest);
    if (!form && rest !== undefined) {
      const { title, text, docsUrl } = problemOf(rest);
      tell({ title, text, tone: "danger", ...(docsUrl && { page: docsUrl }) });
    }
  };

  const submit = async (parameters: Parameters): Promise<Outcome<Result>> => {
    setBusy(true);
    setError(undefined);
    try {
      const outcome = await outcomeOf(send(connection, parameters));
      if (outcome.kind === "waits") {
        tell({
          title: "This waits for approvals",
          text: "Other users have to approve it before it happens.",
          tone: "warning",
          link: { to: `/activities/${outcome.activityId}`, text: "Open the activity" },
        });
      } else if (done !== undefined) {
        tell(typeof done === "string" ? { title: done } : done(outcome.result));
      }
      onSent?.(outcome);
      return outcome;
    } catch (cause) {
      show(cause);
      return undefined;
    } finally {
      setBusy(false);
      // Also after a failure: it is an activity too.
      void queries.invalidateQueries({ queryKey: ["api"] });
    }
  };

  const clear = useCallback(() => setError(undefined), []);
  return { submit, isBusy, error, clear };
}

async function outcomeOf<Result>(sent: Promise<Result>): Promise<NonNullable<Outcome<Result>>> {
  try {
    return { kind: "done", result: await sent };
  } catch (error) {
    if (error instanceof ConsensusNeeded) return { kind: "waits", activityId: error.activity.id };
    throw error;
  }
}

/** The names of all fields: `accounts.0.curve`. */
function flat(values: object, above = ""): Record<string, true> {
  return Object.entries(values).reduce<Record<string, true>>((names, [name, value]) => {
    const path = above + name;
    names[path] = true;
    if (typeof value === "object" && value !== null) Object.assign(names, flat(value, `${path}.`));
    return names;
  }, {});
}
