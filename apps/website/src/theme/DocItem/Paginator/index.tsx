// Below each page of the documentation, readers can say whether it helped.
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { PageFeedback } from "@site/src/components/feedback/PageFeedback.tsx";
import Paginator from "@theme-original/DocItem/Paginator";

export default function PaginatorWithFeedback() {
  const { permalink } = useDoc().metadata;
  return (
    <>
      <PageFeedback key={permalink} page={permalink} />
      <Paginator />
    </>
  );
}
