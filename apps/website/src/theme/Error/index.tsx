// The theme says the same about a crash inside the layout and about one outside of it. The fallback that
// this replaces has other words for the second.
import { RouteContextProvider } from "@docusaurus/core/lib/client/routeContext.js";
import ErrorBoundary from "@docusaurus/ErrorBoundary";
import Head from "@docusaurus/Head";
import { translate } from "@docusaurus/Translate";
import type { Props } from "@theme/Error";
import ErrorPageContent from "@theme/ErrorPageContent";
import Layout from "@theme/Layout";

// The layout needs to know which plugin made the page. A crashed page has none.
const route = { plugin: { name: "docusaurus-core-error-boundary", id: "default" } };

export default function CrashedPage(props: Props) {
  const content = <ErrorPageContent {...props} />;
  return (
    <RouteContextProvider value={route}>
      {/* The layout may be what crashed. */}
      <ErrorBoundary fallback={() => content}>
        <Head>
          <title>
            {translate({ id: "theme.ErrorPageContent.title", message: "This page crashed." })}
          </title>
        </Head>
        <Layout>{content}</Layout>
      </ErrorBoundary>
    </RouteContextProvider>
  );
}
