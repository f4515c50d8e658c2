import type { Reference } from "@site/plugins/api-reference/reference.ts";
import { anchorOfGroup } from "./earlier-links.ts";
import { objectAnchor } from "./FieldTable.tsx";

/** What is open on the page: one group, and in the last one, of objects, one object. */
export type Open = { group: string | null; object: string | null };

export const OBJECTS = "objects";

/** The group and the object that must be open to show an anchor. Null for other anchors. */
export function placeOf(anchor: string, { groups, objects }: Reference): Open | null {
  if (anchor === OBJECTS) return { group: OBJECTS, object: null };
  const object = objects.find(({ name }) => objectAnchor(name) === anchor);
  if (object) return { group: OBJECTS, object: object.name };
  const group = groups.find(
    ({ tag, operations }) =>
      anchorOfGroup(tag) === anchor || operations.some(({ name }) => name === anchor),
  );
  return group ? { group: group.tag, object: null } : null;
}
