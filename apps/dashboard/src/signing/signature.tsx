import { BadgeCheck, ShieldAlert } from "lucide-react";
import { CopyText } from "../ui/copy.tsx";
import { Notice } from "../ui/states.tsx";

/** What was signed, and what this page found when it verified that. */
export function Signature({
  name,
  text,
  verdict,
}: {
  name: string;
  text: string;
  verdict: boolean | undefined;
}) {
  return (
    <div className="stack-small" role="status">
      {verdict === true && (
        <Notice tone="good" icon={<BadgeCheck size={18} aria-hidden />}>
          <p>Signed. This page verified that the key signed exactly this.</p>
        </Notice>
      )}
      {verdict === undefined && (
        <Notice tone="warning" icon={<ShieldAlert size={18} aria-hidden />}>
          <p>Signed. This page cannot verify such a signature: check it where you use it.</p>
        </Notice>
      )}
      {verdict === false ? (
        <Notice tone="danger" icon={<ShieldAlert size={18} aria-hidden />}>
          <p>
            What the service answered is not a signature of this key over this. Do not use it, and
            tell your operator.
          </p>
        </Notice>
      ) : (
        <>
          <span className="field-label">{name}</span>
          <CopyText text={text} label={`Copy: ${name}`} />
        </>
      )}
    </div>
  );
}
