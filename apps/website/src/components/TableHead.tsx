import type { ComponentProps } from "react";

/** A corner without text is a cell: a header must say what it is the header of. */
export function TableHead({ children, ...props }: ComponentProps<"th">) {
  if (children === undefined || children === null || children === "") return <td {...props} />;
  return <th {...props}>{children}</th>;
}
