import { Button, LinkButton } from "./button.tsx";
import { FormProblem } from "./states.tsx";

/** The end of a form that is a screen: what went wrong, the button that sends it, and the way back. */
export function FormEnd({
  action,
  backTo,
  isBusy,
  error,
}: {
  /** What the button says, such as "Create the wallet". */
  action: string;
  backTo: string;
  isBusy: boolean;
  error: unknown;
}) {
  return (
    <>
      <FormProblem error={error} />
      <div className="row">
        <Button type="submit" kind="primary" isPending={isBusy}>
          {action}
        </Button>
        <LinkButton to={backTo} kind="quiet">
          Cancel
        </LinkButton>
      </div>
    </>
  );
}
