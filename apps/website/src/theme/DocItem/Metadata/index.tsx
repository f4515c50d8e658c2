// Names the image that the build draws for this page. Other languages and kept versions have the site's image.

import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { PageMetadata } from "@docusaurus/theme-common";
import useBaseUrl from "@docusaurus/useBaseUrl";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { cardOf } from "@site/plugins/social-cards/address.ts";
import { useKeptVersion } from "@site/src/components/versions/place.ts";
import Metadata from "@theme-original/DocItem/Metadata";

export default function DocItemMetadata() {
  const { i18n } = useDocusaurusContext();
  const { metadata, frontMatter } = useDoc();
  const kept = useKeptVersion();
  const baseUrl = useBaseUrl("/");
  const hasCard = i18n.currentLocale === i18n.defaultLocale && kept === null && !frontMatter.image;
  return (
    <>
      <Metadata />
      {hasCard && <PageMetadata image={cardOf(metadata.permalink, baseUrl)} />}
    </>
  );
}
