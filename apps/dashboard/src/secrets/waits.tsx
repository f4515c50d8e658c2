import { Link } from "wouter";
import { Notice } from "../ui/states.tsx";

/** An activity that others have to approve first. `what` is what then happens by itself. */
export function Waits({ activityId, what }: { activityId: string | undefined; what: string }) {
  return (
    <div role="status">
      {activityId !== undefined && (
        <Notice tone="warning">
          <p>
            This <Link href={`/activities/${activityId}`}>waits for approvals</Link>. Keep this
            open: once others have approved, {what}.
          </p>
        </Notice>
      )}
    </div>
  );
}
