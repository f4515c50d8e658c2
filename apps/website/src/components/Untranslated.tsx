import Head from "@docusaurus/Head";
import Translate from "@docusaurus/Translate";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import type { ReactNode } from "react";

/**
 * Text in the default language. In another one, it says so, tells browsers and screen readers which
 * language it is in, and leaves search engines the original.
 */
export function Untranslated({ children }: { children: ReactNode }) {
  const { i18n } = useDocusaurusContext();
  if (i18n.currentLocale === i18n.defaultLocale) return children;
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
      <div lang={i18n.defaultLocale}>{children}</div>
    </>
  );
}
