import type { ReactNode } from "react";
import { Page } from "../../ui/page.tsx";

/**
 * The head of the overview, which is painted before the scripts are there. Its text is larger than each that comes later, so
 * that what people wait for is there early.
 */
export function OverviewFrame({
  id,
  children,
}: {
  /** The organization's, which only the session knows. */
  id: ReactNode;
  children: ReactNode;
}) {
  return (
    <Page
      title="Overview"
      intro="What this organization has, what waits for your approval, and the last things that were asked of it."
      actions={id}
    >
      {children}
    </Page>
  );
}
