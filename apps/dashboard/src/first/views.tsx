import { StrictMode } from "react";
import { renderToStaticMarkup, renderToString } from "react-dom/server";
import { Router } from "wouter";
import { App } from "../app/app.tsx";
import { ShellStarting } from "../app/shell-starting.tsx";
import { loadLogin } from "../session/login-part.tsx";
import type { Service } from "../session/service.ts";
import { basePath } from "../session/service-address.ts";
import { Starting } from "../session/starting.tsx";

// The build renders these with the components that the browser renders later, and writes them into the page. Until then nothing in
// them can be used, so readers of the screen hear only that the page loads.

/** Which ways to log in the page offers beside passkeys and keys. */
export type Offered = { isCodeOffered: boolean; isProviderOffered: boolean };

/** The page's first views, of which `public/first.js` shows one. The login becomes the page's: the others are replaced. */
export async function firstViews({ isCodeOffered, isProviderOffered }: Offered): Promise<string> {
  await loadLogin();
  const path = `${basePath}/`;
  const service: Service = {
    ...unknown,
    // A page for another origin offers the providers alone that its build names.
    isElsewhere: !isProviderOffered,
    ...(isCodeOffered && { verificationPublicKey: anyKey }),
  };
  const login = renderToString(
    <StrictMode>
      <App found={{ service }} path={path} />
    </StrictMode>,
  );
  const others = [
    ["front", <Starting key="front" />],
    ["shell", <ShellStarting key="shell" />],
  ] as const;
  const html = [
    '<p class="first-said visually-hidden" role="status">Loading the dashboard…</p>',
    `<div id="root" inert>${login}</div>`,
    ...others.map(([name, view]) => {
      const shown = renderToStaticMarkup(
        // No screen is the current one: nobody knows yet which it is.
        <Router base={basePath} ssrPath={`${path}-`}>
          {view}
        </Router>,
      );
      return `<div class="first first-${name}" inert>${shown}</div>`;
    }),
  ].join("\n    ");
  // The page's policy refuses them, and the view would look otherwise.
  const [refused] = /<[^>]+\s(style|on\w+)=[^>]*>/.exec(html) ?? [];
  if (refused) throw new Error(`a first view has what the page's policy refuses: ${refused}`);
  // React writes this where a part failed, and would render it in the browser alone.
  if (html.includes("<!--$!-->")) throw new Error("a part of a first view cannot be rendered");
  return html;
}

/** Only its form is looked at before the service has answered. */
const anyKey = `04${"0".repeat(128)}`;

const unknown = {
  isElsewhere: false,
  baseUrl: "",
  rootOrganizationId: "",
  sessionPublicKey: anyKey,
  verificationPublicKey: undefined,
  quorumPublicKey: undefined,
  signerPublicKey: undefined,
  isOpenForSignup: false,
  loginProviders: [],
  framesUrl: undefined,
};
