import { type ReactNode, useState } from "react";
import { Dialog as AriaDialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { Button } from "./button.tsx";
import { classes } from "./classes.ts";
import { TextField } from "./text-field.tsx";

/** A window over the page. Its first field is focused, and Escape closes it unless it must be answered. */
export function Dialog({
  title,
  isOpen,
  onClose,
  isWide,
  mustAnswer = false,
  role,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  isWide?: boolean;
  /** Neither Escape nor a click beside it closes it. */
  mustAnswer?: boolean;
  role?: "alertdialog";
  children: ReactNode;
}) {
  return (
    <ModalOverlay
      className="backdrop"
      isOpen={isOpen}
      isDismissable={!mustAnswer}
      isKeyboardDismissDisabled={mustAnswer}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className={classes("modal", isWide && "modal-wide")}>
        <AriaDialog className="dialog" role={role}>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="dialog-actions">{children}</div>;
}

/**
 * Asks before something that hurts. With `typed`, people have to type that text first. It stays open while `onConfirm`
 * runs, and closes if that resolves to anything but false.
 */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  action,
  typed,
  kind = "danger",
  isReady = true,
  onConfirm,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  /** What the button says, such as "Delete the wallet". */
  action: string;
  typed?: string;
  kind?: "danger" | "primary";
  /** False while something else has to be answered first. */
  isReady?: boolean;
  onConfirm: () => Promise<unknown> | unknown;
  children: ReactNode;
}) {
  const [text, setText] = useState("");
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    setText("");
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    try {
      if ((await onConfirm()) !== false) close();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog {...{ title, isOpen }} onClose={close} role="alertdialog">
      <div className="stack-small">{children}</div>
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to go on`}
          value={text}
          onChange={setText}
          autoComplete="off"
          spellCheck="false"
        />
      )}
      <DialogActions>
        <Button onPress={close}>Cancel</Button>
        <Button
          kind={kind}
          isPending={isBusy}
          isDisabled={!isReady || (typed !== undefined && text !== typed)}
          onPress={() => void confirm()}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
