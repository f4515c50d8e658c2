import { StrictMode, startTransition } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { firstView } from "./first/first.ts";
import { loadLogin } from "./session/login-part.tsx";
import { findService } from "./session/service.ts";

/** Renders the page, once the service has said who it is. */
export async function start(asked: Promise<Response>): Promise<void> {
  const root = document.getElementById("root");
  if (!root) return;
  const first = firstView();
  const isLogin = first === "login" || first === "known";
  const [found] = await Promise.all([findService(asked), isLogin && loadLogin()]);
  const app = (
    <StrictMode>
      <App found={found} />
    </StrictMode>
  );
  // In a transition, React lets the browser answer in between.
  startTransition(() => {
    if (isLogin && "service" in found && root.hasChildNodes()) hydrateRoot(root, app);
    else createRoot(root).render(app);
  });
}
