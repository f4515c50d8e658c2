// Tells programs where the Markdown of this page is.
import Head from "@docusaurus/Head";
import { useLocation } from "@docusaurus/router";
import useBaseUrl from "@docusaurus/useBaseUrl";
import { markdownAddress } from "@site/plugins/markdown-pages/address.ts";
import SiteMetadata from "@theme-original/SiteMetadata";

export default function SiteMetadataWithMarkdown() {
  const { pathname } = useLocation();
  const baseUrl = useBaseUrl("/");
  return (
    <>
      <SiteMetadata />
      {!pathname.endsWith("/404.html") && (
        <Head>
          <link rel="alternate" type="text/markdown" href={markdownAddress(pathname, baseUrl)} />
        </Head>
      )}
    </>
  );
}
