// Wide tables scroll in their own box, so that they don't widen the page on a narrow screen.
import { ScrollingTable } from "@site/src/components/ScrollingTable.tsx";
import { TableHead } from "@site/src/components/TableHead.tsx";
import MDXComponents from "@theme-original/MDXComponents";

export default { ...MDXComponents, table: ScrollingTable, th: TableHead };
