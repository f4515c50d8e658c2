import { useState } from "react";
import { Router } from "wouter";
import { Front } from "../session/front.tsx";
import { Gate } from "../session/gate.tsx";
import { type Found, findService } from "../session/service.ts";
import { askService, basePath } from "../session/service-address.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { Failed } from "../ui/states.tsx";
import { aroundNav } from "../ui/unsaved.ts";

/** The page. `path` is where it is rendered for, when the build renders it. */
export function App({ found: first, path }: { found: Found; path?: string }) {
  const [found, setFound] = useState(first);
  return (
    <ErrorBoundary>
      <Router base={basePath} aroundNav={aroundNav} {...(path !== undefined && { ssrPath: path })}>
        {"service" in found ? (
          <Gate service={found.service} />
        ) : (
          <Front>
            <h1>The dashboard has no service</h1>
            <Failed
              error={found.error}
              onRetry={async () => setFound(await findService(askService()))}
            />
          </Front>
        )}
      </Router>
    </ErrorBoundary>
  );
}
