import useDocusaurusContext from "@docusaurus/useDocusaurusContext";

/** A link to a file or a folder of the repository. A test expects each of them to exist. */
export function SourceFile({ path }: { path: string }) {
  const { customFields } = useDocusaurusContext().siteConfig;
  const kind = path.endsWith("/") ? "tree" : "blob";
  return (
    <a href={`${customFields?.repository}/${kind}/main/${path}`}>
      <code>{path}</code>
    </a>
  );
}
