import Link from "@docusaurus/Link";
import type { TOCItem } from "@docusaurus/mdx-loader";
import useBrokenLinks from "@docusaurus/useBrokenLinks";
import changelog from "@generated/changelog/default/changelog.json";
import type { Version } from "@site/plugins/changelog/parse.ts";
import type { Shown, ShownEntry } from "@site/plugins/changelog/shown.ts";
import Heading from "@theme/Heading";
import { createElement, Fragment, type ReactNode } from "react";
import styles from "./Changelog.module.css";

/** The headings of the changelog, for the table of contents. */
export const changelogToc: TOCItem[] = changelog.flatMap((version) => [
  { value: headingOf(version), id: version.id, level: 2 },
  ...version.groups.map(({ id, title }) => ({ value: title, id, level: 3 })),
]);

/** Every version of CHANGELOG.md, and what is newer, with an anchor for each entry. */
export function Changelog() {
  return changelog.map((version) => (
    <Fragment key={version.id}>
      <Heading as="h2" id={version.id}>
        {headingOf(version)}
      </Heading>
      {version.groups.map((group) => (
        <Fragment key={group.id}>
          <Heading as="h3" id={group.id}>
            {group.title}
          </Heading>
          <ul className={styles.entries}>
            {group.entries.map((entry) => (
              <Item key={entry.id} entry={entry} />
            ))}
          </ul>
        </Fragment>
      ))}
    </Fragment>
  ));
}

function headingOf({ title, date }: Pick<Version, "title" | "date">): string {
  return date === null ? title : `${title}, ${date}`;
}

function Item({ entry }: { entry: ShownEntry }) {
  useBrokenLinks().collectAnchor(entry.id);
  return (
    <li id={entry.id} className={styles.entry}>
      {entry.content.map(show)}
      <a className="hash-link" href={`#${entry.id}`} aria-label="Direct link to this entry">
        {"\u200b"}
      </a>
    </li>
  );
}

function show(shown: Shown, position: number): ReactNode {
  if (typeof shown === "string") return shown;
  const [tag, href, parts] = shown;
  const children = parts.map(show);
  if (href === null) return createElement(tag, { key: position }, ...children);
  return (
    <Link key={position} to={href}>
      {children}
    </Link>
  );
}
