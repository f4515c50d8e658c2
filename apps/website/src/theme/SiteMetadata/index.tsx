// Tells programs where the Markdown of this page is, and where the page of the current version is.
import Head from "@docusaurus/Head";
import { useLocation } from "@docusaurus/router";
import useBaseUrl from "@docusaurus/useBaseUrl";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { markdownAddress } from "@site/plugins/markdown-pages/address.ts";
import { useKeptVersion, usePlace } from "@site/src/components/versions/place.ts";
import SiteMetadata from "@theme-original/SiteMetadata";

export default function SiteMetadataWithMarkdown() {
  const { pathname } = useLocation();
  const { url } = useDocusaurusContext().siteConfig;
  const baseUrl = useBaseUrl("/");
  const kept = useKeptVersion();
  const current = url + usePlace();
  return (
    <>
      <SiteMetadata />
      {!pathname.endsWith("/404.html") && (
        <Head>
          <link rel="alternate" type="text/markdown" href={markdownAddress(pathname, baseUrl)} />
        </Head>
      )}
      {kept !== null && (
        <Head>
          <link rel="canonical" href={current} />
          <meta property="og:url" content={current} />
        </Head>
      )}
    </>
  );
}
