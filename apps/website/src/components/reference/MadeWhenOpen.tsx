import { type ReactNode, type ToggleEvent, useState } from "react";

type Props = { className: string | undefined; summary: ReactNode; children: () => ReactNode };

/** A fold whose content is made when a reader opens it: on a page of a hundred operations, what few open costs everybody. */
export function MadeWhenOpen({ className, summary, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={className}
      onToggle={(event: ToggleEvent<HTMLDetailsElement>) => {
        // The event of a fold within this one comes here too.
        if (event.target === event.currentTarget) setOpen(event.currentTarget.open);
      }}
    >
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
