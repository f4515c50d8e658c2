const MOST_NAMES = 6;
const LONGEST_NAME = 60;

/** Names of members as a message shows them. The text that has them may have many, and long ones. */
export function shownNames(names: readonly string[]): string {
  return names
    .slice(0, MOST_NAMES)
    .map((name) => `\`${name.slice(0, LONGEST_NAME)}\``)
    .join(", ");
}
