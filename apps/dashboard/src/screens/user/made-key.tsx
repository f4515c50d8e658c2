import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/fields.tsx";
import { Notice } from "../../ui/states.tsx";
import { keyFile, type MadeKey } from "./keys-made-here.ts";

/** Shows the private half once. It is gone when the window closes. */
export function MadeKeyDialog({
  made,
  isWaiting,
  onClose,
}: {
  made: MadeKey;
  /** Others still have to approve that the key is registered. */
  isWaiting: boolean;
  onClose: () => void;
}) {
  const [isStored, setStored] = useState(false);
  const download = () => {
    const address = URL.createObjectURL(new Blob([keyFile(made)], { type: "application/json" }));
    const link = document.createElement("a");
    link.href = address;
    link.download = `${made.apiKeyName.replace(/[^\w-]+/g, "-") || "api-key"}.json`;
    link.click();
    URL.revokeObjectURL(address);
  };
  return (
    <Dialog
      title={`Store the key ${made.apiKeyName} now`}
      isOpen
      mustAnswer
      isWide
      onClose={onClose}
    >
      <Notice tone="warning">
        {isWaiting && "The key works once the others have approved it. "}
        This is the only time that the private key is shown: neither the service nor this browser
        keeps it.
      </Notice>
      <div className="stack-small">
        <span className="field-label">Public key</span>
        <CopyText text={made.apiPublicKey} label="Copy the public key" />
        <span className="field-label">Private key</span>
        <CopyText text={made.apiPrivateKey} label="Copy the private key" />
      </div>
      <div className="row">
        <Button onPress={download}>Download the key file</Button>
      </div>
      <Checkbox isSelected={isStored} onChange={setStored}>
        I have stored it where only its user can read it.
      </Checkbox>
      <DialogActions>
        <Button kind="primary" isDisabled={!isStored} onPress={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
