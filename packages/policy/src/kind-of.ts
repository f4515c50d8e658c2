/** The kind of an activity: its type without the prefix and the version. */
export function kindOf(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_|_V\d+$/g, "");
}
