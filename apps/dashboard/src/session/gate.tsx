import { KeyhearthProvider, useKeyhearth, useSession } from "@keyhearth/sdk/react";
import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { publicScreens } from "../app/public-screens.ts";
import { Routes } from "../app/routes.tsx";
import { addressOf } from "../app/screen.ts";
import { firstView, isInside } from "../first/first.ts";
import { Failed } from "../ui/states.tsx";
import { type Current, VisitorProvider } from "./current.tsx";
import { Front } from "./front.tsx";
import { loadInside } from "./load-inside.ts";
import { LoginPart } from "./login-part.tsx";
import type { Service } from "./service.ts";
import { Starting } from "./starting.tsx";
import { unpinned } from "./unpinned.ts";
import { noteSession } from "./until.ts";

const Inside = lazy(loadInside);

/** Shows the screens to those who are logged in, and to all others how to get there. */
export function Gate({ service }: { service: Service }) {
  const { baseUrl, rootOrganizationId, sessionPublicKey, verificationPublicKey } = service;
  const { isElsewhere, quorumPublicKey } = service;
  return (
    <KeyhearthProvider
      options={{
        baseUrl,
        organizationId: rootOrganizationId,
        sessionPublicKey,
        verificationPublicKey,
        // A key that the service names itself would prove nothing against it.
        ...(isElsewhere && { quorumPublicKey }),
        name: "dashboard",
      }}
    >
      <Inner service={service} />
    </KeyhearthProvider>
  );
}

function Inner({ service }: { service: Service }) {
  const { keeper, session, connection } = useKeyhearth();
  const state = useSession();
  const [path] = useLocation();
  const [first] = useState(firstViewHere);
  // The last session whose screens are shown. It outlives an expiry, so that nothing that was typed is lost.
  const [held, hold] = useState<Current>();
  if (session && connection && held?.session !== session) {
    hold({ service, keeper, session, connection, unpinned: unpinned(connection) });
  }
  const isOver = state.status === "logged-out";
  if (isOver && held && (state.reason === "logged-out" || state.reason === undefined)) {
    hold(undefined);
  }
  const isLoading = state.status === "loading";
  const expiresAtMs = session?.expiresAtMs;
  useEffect(() => {
    if (!isLoading) noteSession(expiresAtMs);
  }, [isLoading, expiresAtMs]);
  // Most visitors log in, and then find the screens loaded.
  useEffect(() => {
    if (isOver) void loadInside().catch(() => {});
  }, [isOver]);

  // The first view stays, unless it is the login, which people may already use.
  if (isLoading && first !== "login" && first !== "known") return first ? null : <Starting />;
  if (state.status === "failed") {
    return (
      <Front>
        <h1>This browser keeps no keys</h1>
        <Failed error={state.error} />
      </Front>
    );
  }
  const isPublic = publicScreens.some(
    (entry) => addressOf(entry) === path.replace(/(?<=.)\/$/, ""),
  );
  if (isPublic) {
    return (
      <VisitorProvider visitor={{ service, keeper }}>
        <Front>
          <Routes entries={publicScreens} />
        </Front>
      </VisitorProvider>
    );
  }
  if (!held) {
    return <LoginPart {...{ service, keeper }} reason={state.reason} />;
  }
  return (
    // Until the first screens are there, the first view stays.
    <Suspense fallback={isInside(first) && firstView() ? null : <Starting />}>
      <Inside
        current={held}
        isOver={isOver}
        reason={state.reason}
        onLeave={() => hold(undefined)}
      />
    </Suspense>
  );
}

/** The build renders the login. */
function firstViewHere() {
  return typeof document === "undefined" ? "login" : firstView();
}
