import type { EndReason } from "@keyhearth/sdk/browser";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import type { Current } from "./current.tsx";
import { SESSION_SECONDS } from "./lifetime.ts";
import { WayTabs } from "./way-tabs.tsx";

const why: Record<EndReason, string> = {
  expired: "Your session has expired.",
  revoked:
    "The service no longer knows your session: somebody logged you out everywhere, or removed the key.",
  lost: "This browser no longer has the key of your session.",
  "logged-out": "You are logged out.",
};

/** Over the screen that somebody was in the middle of, which stays as it is. */
export function LoginAgain({
  current,
  reason,
  onLeave,
}: {
  current: Current;
  reason: EndReason | undefined;
  onLeave: () => void;
}) {
  const { service, keeper, session } = current;
  return (
    <Dialog title="Log in again" isOpen mustAnswer onClose={onLeave}>
      <p>
        {reason === undefined ? why.expired : why[reason]} What you have entered is kept: log in,
        and go on.
      </p>
      <WayTabs
        {...{ service, keeper }}
        organizationId={session.organizationId}
        expirationSeconds={SESSION_SECONDS}
      />
      <Button kind="quiet" onPress={onLeave}>
        Leave, and log in as somebody else
      </Button>
    </Dialog>
  );
}
