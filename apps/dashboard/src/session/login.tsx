import type { SessionKeeper } from "@keyhearth/sdk/browser";
import { memo } from "react";
import { Link } from "wouter";
import { useTitle } from "../ui/page.tsx";
import { Notice } from "../ui/states.tsx";
import { Front } from "./front.tsx";
import { useKnownOrganizations } from "./known.ts";
import { SESSION_SECONDS } from "./lifetime.ts";
import type { Service } from "./service.ts";
import { WayTabs } from "./way-tabs.tsx";

/** Shown at whatever address people came to, so that they are there once they are logged in. */
export const Login = memo(function Login({
  service,
  keeper,
  reason,
}: {
  service: Service;
  keeper: SessionKeeper;
  reason: string | undefined;
}) {
  useTitle("Log in");
  // Somebody could send a link to an organization of their own, and wait for what is put into it.
  const { named, known } = useKnownOrganizations();
  const isKnown = known.some(({ id, via }) => id === named || via === named);
  return (
    <Front>
      <h1 tabIndex={-1}>Log in</h1>
      {named !== undefined && !isKnown && (
        <Notice>
          The link that you opened leads to an organization that is new to this browser. The person
          who made the link chose it: go on only if you expected that.
        </Notice>
      )}
      {reason === "logged-out" && <Notice tone="good">You are logged out.</Notice>}
      <WayTabs
        {...{ service, keeper }}
        organizationId={undefined}
        expirationSeconds={SESSION_SECONDS}
      />
      <p className="soft">
        No organization yet? <Link href="/sign-up">Create one</Link>
      </p>
    </Front>
  );
});
