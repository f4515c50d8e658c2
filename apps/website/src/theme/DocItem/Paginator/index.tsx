// Below each page of the current version, readers can say whether it helped.
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { PageFeedback } from "@site/src/components/feedback/PageFeedback.tsx";
import { useKeptVersion } from "@site/src/components/versions/place.ts";
import Paginator from "@theme-original/DocItem/Paginator";

export default function PaginatorWithFeedback() {
  const { permalink } = useDoc().metadata;
  const kept = useKeptVersion();
  return (
    <>
      {kept === null && <PageFeedback key={permalink} page={permalink} />}
      <Paginator />
    </>
  );
}
