// Adds the buttons that copy the page. A page without a translation is shown in the default language: it
// says so, tells browsers and screen readers which language it is in, and leaves search engines the original.
import Head from "@docusaurus/Head";
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import Translate from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { CopyPage } from "@site/src/components/CopyPage.tsx";
import Content from "@theme-original/DocItem/Content";
import type { ReactNode } from "react";
import styles from "./styles.module.css";

type Props = { children: ReactNode };

export default function DocItemContent(props: Props) {
  const { i18n } = useDocusaurusContext();
  const { metadata } = useDoc();
  const isTranslated =
    i18n.currentLocale === i18n.defaultLocale || metadata.source.startsWith("@site/i18n/");
  if (isTranslated) return <CopyableContent {...props} />;
  return (
    <>
      <Head>
        <meta name="robots" content="noindex" />
      </Head>
      <p className="alert alert--info">
        <Translate id="untranslated.notice">
          This page is not translated yet. It is shown in English.
        </Translate>
      </p>
      <div lang={i18n.defaultLocale}>
        <CopyableContent {...props} />
      </div>
    </>
  );
}

/** The heading is inside the theme's content, so the buttons float beside it. */
function CopyableContent(props: Props) {
  return (
    <div className={styles.page}>
      <CopyPage className={styles.actions} />
      <Content {...props} />
    </div>
  );
}
