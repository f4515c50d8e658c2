import Link from "@docusaurus/Link";
import type { ReactNode } from "react";
import { useResultLinks } from "./result-links.ts";

type Props = { url: string; tabIndex?: number; children: ReactNode };

/** A link to a result, which may be on another site. */
export function ResultLink({ url, ...link }: Props) {
  const { href, isOwn } = useResultLinks()(url);
  return isOwn ? <Link to={href} {...link} /> : <a href={href} {...link} />;
}
