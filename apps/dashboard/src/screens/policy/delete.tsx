import { type Connection, deletePolicy, type Policy } from "@keyhearth/sdk";
import { Trash2 } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";

const send = (connection: Connection, parameters: { policyId: string }) =>
  deletePolicy(connection, parameters);

export function DeleteButton({ policy }: { policy: Policy }) {
  const [, navigate] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const { policyId, policyName, effect } = policy;
  const { submit } = useSubmit(send, { done: "The policy is deleted" });
  return (
    <>
      <Button onPress={() => setOpen(true)}>
        <Trash2 size={16} aria-hidden />
        Delete…
      </Button>
      <ConfirmDialog
        title="Delete the policy?"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        action="Delete the policy"
        onConfirm={async () => {
          const outcome = await submit({ policyId });
          if (outcome?.kind === "done") navigate("/policies");
          return outcome !== undefined;
        }}
      >
        <p>
          {effect === "EFFECT_ALLOW"
            ? `What only “${policyName}” allows no longer happens, from the next request on.`
            : `What “${policyName}” denies may happen from the next request on, if another policy allows it.`}
        </p>
      </ConfirmDialog>
    </>
  );
}
