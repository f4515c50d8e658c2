import type { EndReason } from "@keyhearth/sdk/browser";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { type Current, CurrentProvider } from "../session/current.tsx";
import { basePath } from "../session/service-address.ts";
import { forgetToasts, Toasts } from "../ui/toasts.tsx";
import { Routes } from "./routes.tsx";
import { isAt } from "./screen.ts";
import { screens } from "./screens.ts";
import { Shell } from "./shell.tsx";

const LoginAgain = lazy(async () => ({
  default: (await import("../session/login-again.tsx")).LoginAgain,
}));

/** Begins to load the screen that the address names, before it is rendered. */
export function loadScreenHere(): void {
  const path = location.pathname.slice(basePath.length) || "/";
  const entry = screens.find((screen) => isAt(screen, path));
  // If it fails, the screen says so.
  entry?.load().catch(() => {});
}

type InsideProps = {
  current: Current;
  /** Whether the session has ended, and why. Then the login comes over the screen. */
  isOver: boolean;
  reason: EndReason | undefined;
  onLeave: () => void;
};

/** The screens, for somebody who is logged in. */
export function Inside({ current, isOver, reason, onLeave }: InsideProps) {
  const { organizationId, userId } = current.session;
  return (
    <CurrentProvider current={current}>
      {/* Somebody else sees nothing that was kept for the user before. */}
      <Queries key={`${organizationId} ${userId}`} onLeave={forgetToasts}>
        <Shell>
          <Routes entries={screens} />
        </Shell>
      </Queries>
      {isOver && (
        <Suspense>
          <LoginAgain {...{ current, reason, onLeave }} />
        </Suspense>
      )}
      <Toasts />
    </CurrentProvider>
  );
}

function Queries({ children, onLeave }: { children: ReactNode; onLeave: () => void }) {
  useEffect(() => onLeave, [onLeave]);
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          // The SDK sends again what was lost, and a page that is offline says so.
          queries: { retry: false, networkMode: "always", staleTime: 1000 },
        },
      }),
  );
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}
