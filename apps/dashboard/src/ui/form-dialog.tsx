import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";
import { FormProblem } from "./states.tsx";

/**
 * A form in a window over the page. What was typed belongs to the form of whoever renders it, so it is still there if people
 * close the window by mistake.
 */
export function FormDialog({
  title,
  isOpen,
  onClose,
  onSubmit,
  action,
  isBusy,
  isDisabled,
  error,
  isWide,
  isDanger,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  onSubmit: () => unknown;
  /** What the button says, such as "Create the tag". */
  action: string;
  isBusy: boolean;
  isDisabled?: boolean;
  error?: unknown;
  isWide?: boolean;
  isDanger?: boolean;
  children: ReactNode;
}) {
  return (
    <Dialog {...{ title, isOpen, onClose, isWide }}>
      <form
        className="stack"
        autoComplete="off"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void onSubmit();
        }}
      >
        {children}
        <FormProblem error={error} />
        <DialogActions>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind={isDanger ? "danger" : "primary"}
            isPending={isBusy}
            isDisabled={isDisabled}
          >
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
