import { CLAUSES } from "@keyhearth/policy/ast";
import type { Policy } from "@keyhearth/sdk";
import { TriangleAlert } from "lucide-react";
import type { Advice } from "../../policy-language/advice.ts";
import { differenceOf } from "../../policy-language/difference.ts";
import { type Draft, draftOf, emptyDraft } from "../../policy-language/draft.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog, DialogActions } from "../../ui/dialog.tsx";
import { Notice } from "../../ui/states.tsx";

const names: Record<keyof Draft, string> = {
  policyName: "Name",
  effect: "Effect",
  condition: "Condition",
  consensus: "Consensus",
  time: "Time",
  notes: "Notes",
};

/** What is saved, against what was there, and what it may not mean. */
export function ReviewDialog({
  policy,
  draft,
  advice,
  onClose,
  onSave,
}: {
  policy: Policy | undefined;
  draft: Draft;
  advice: Advice;
  onClose: () => void;
  onSave: () => void;
}) {
  const before = policy ? draftOf(policy) : emptyDraft;
  const fields: (keyof Draft)[] = [
    "policyName",
    "effect",
    "condition",
    "consensus",
    "time",
    "notes",
  ];
  const changed = fields.filter(
    (name) => before[name] !== draft[name] || (!policy && name === "effect"),
  );
  const warnings = CLAUSES.flatMap((clause) => advice[clause]);
  return (
    <Dialog
      title={policy ? "Save these changes?" : "Create this policy?"}
      isOpen
      isWide
      onClose={onClose}
    >
      {warnings.length > 0 && (
        <Notice tone="warning" icon={<TriangleAlert size={18} aria-hidden />}>
          <strong>It can be saved, and may not mean what it says</strong>
          {warnings.map(({ message }) => (
            <span key={message}>{message}</span>
          ))}
        </Notice>
      )}
      <div className="stack-small">
        {changed.map((name) => (
          <div key={name} className="stack-small">
            <strong>{names[name]}</strong>
            <pre className="clause">
              <Difference
                before={policy ? shown(name, before[name]) : ""}
                after={shown(name, draft[name])}
              />
            </pre>
          </div>
        ))}
      </div>
      <DialogActions>
        <Button onPress={onClose}>Go on editing</Button>
        <Button kind="primary" onPress={onSave}>
          {policy ? "Save the changes" : "Create it"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function shown(name: keyof Draft, value: string): string {
  if (name !== "effect") return value;
  return value === "EFFECT_ALLOW" ? "Allow" : "Deny";
}

/** Removed and added text is marked by more than its colour. */
function Difference({ before, after }: { before: string; after: string }) {
  return (
    <code>
      {differenceOf(before, after).map(({ kind, text }, index) => {
        // The parts of a comparison keep their order.
        const key = `${index} ${kind}`;
        if (kind === "removed") return <del key={key}>{text}</del>;
        if (kind === "added") return <ins key={key}>{text}</ins>;
        return <span key={key}>{text}</span>;
      })}
    </code>
  );
}
