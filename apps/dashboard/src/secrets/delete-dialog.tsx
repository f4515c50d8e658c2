import { useState } from "react";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { FormProblem, Notice } from "../ui/states.tsx";

/**
 * Asks before a key is deleted. What was never exported is deleted only if people say that they know: then no copy of it is left,
 * and the service asks for the same.
 */
export function DeleteDialog({
  title,
  isOpen,
  onClose,
  action,
  typed,
  hasCopy,
  lost,
  error,
  onDelete,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  action: string;
  typed: string;
  /** Whether somebody has exported it, or has it because they imported it. */
  hasCopy: boolean;
  /** What is lost with it. */
  lost: string;
  error: unknown;
  onDelete: (deleteWithoutExport: boolean) => Promise<boolean>;
}) {
  const [isAware, setAware] = useState(false);
  const close = () => {
    setAware(false);
    onClose();
  };
  return (
    <ConfirmDialog
      {...{ title, isOpen, action, typed }}
      onClose={close}
      isReady={hasCopy || isAware}
      onConfirm={() => onDelete(!hasCopy)}
    >
      {hasCopy ? (
        <p>
          It was exported, so whoever has the copy can still use it, here or elsewhere. The service
          forgets it, and nothing but that copy brings it back.
        </p>
      ) : (
        <>
          <Notice tone="danger">
            <p>
              It was never exported. There is no copy of it anywhere else, so {lost} cannot be
              reached again by anybody.
            </p>
          </Notice>
          <Checkbox isSelected={isAware} onChange={setAware}>
            Delete it although no copy is left.
          </Checkbox>
        </>
      )}
      <FormProblem error={error} />
    </ConfirmDialog>
  );
}
