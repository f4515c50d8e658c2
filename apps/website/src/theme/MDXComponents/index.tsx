// Tables of pages scroll in their own box instead of pushing a narrow screen wide.
import { ScrollingTable } from "@site/src/components/ScrollingTable.tsx";
import MDXComponents from "@theme-original/MDXComponents";

export default { ...MDXComponents, table: ScrollingTable };
