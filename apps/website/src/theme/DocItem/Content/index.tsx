// Adds the buttons that copy the page, and a notice where the page has no translation.
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { CopyPage } from "@site/src/components/CopyPage.tsx";
import { Untranslated } from "@site/src/components/Untranslated.tsx";
import Content from "@theme-original/DocItem/Content";
import type { ReactNode } from "react";
import styles from "./styles.module.css";

type Props = { children: ReactNode };

export default function DocItemContent(props: Props) {
  const { metadata } = useDoc();
  const content = <CopyableContent {...props} />;
  if (metadata.source.startsWith("@site/i18n/")) return content;
  return <Untranslated>{content}</Untranslated>;
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
