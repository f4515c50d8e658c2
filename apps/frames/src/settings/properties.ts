// The properties of a style that the embedding page may choose, and the values of each. The patterns are for a whole value,
// and none lets through what CSS would load, or what ends a declaration.

const NUMBER = "\\d{1,5}";
const SIDE = `${NUMBER}(px|em|%|rem)`;
const WIDTH = `${NUMBER}(px|em|rem)`;
const LENGTH = `${NUMBER}(px|em|rem|%|vh|vw|in|cm|mm|pt|pc|ex|ch|vmin|vmax)`;
const HEX_COLOR = "#[0-9a-f]{3,8}";
const PART = "\\d{1,3}(\\.\\d{1,6})?%?";
const FUNCTION = `(rgb|hsl)a?\\(${PART}(, ${PART}){2,3}\\)`;
const COLOR = `transparent|inherit|initial|${HEX_COLOR}|${FUNCTION}`;
const OFFSET = `${NUMBER}(px|em|rem)`;

const oneToFour = (each: string) => whole(`${each}( ${each}){0,3}`);

const patterns = {
  padding: oneToFour(SIDE),
  margin: oneToFour(SIDE),
  borderWidth: oneToFour(WIDTH),
  borderRadius: oneToFour(SIDE),
  borderStyle: whole("none|solid|dashed|dotted|double|groove|ridge|inset|outset"),
  borderColor: whole(COLOR),
  color: whole(COLOR),
  backgroundColor: whole(COLOR),
  labelColor: whole(COLOR),
  fontSize: whole(LENGTH),
  width: whole(`auto|${LENGTH}`),
  height: whole(`auto|${LENGTH}`),
  maxWidth: whole(`none|${LENGTH}`),
  maxHeight: whole(`none|${LENGTH}`),
  lineHeight: whole(
    `normal|\\d{1,5}(\\.\\d{1,6})?(px|em|rem|%|vh|vw|in|cm|mm|pt|pc|ex|ch|vmin|vmax)`,
  ),
  fontWeight: whole("normal|bold|bolder|lighter|\\d{3}"),
  // No backslash either, which writes the others in CSS.
  fontFamily: /^[^";<>\\]{1,200}$/,
  boxShadow: whole(
    `none|${OFFSET}( ${OFFSET}){1,3} (${HEX_COLOR}|rgba?\\([^()]{1,60}\\))( inset)?`,
  ),
  textAlign: whole("left|right|center|justify|initial|inherit"),
  overflowWrap: whole("normal|break-word|anywhere"),
  wordWrap: whole("normal|break-word"),
  resize: whole("none|both|horizontal|vertical|block|inline"),
} as const;

export type Property = keyof typeof patterns;

export const properties = Object.keys(patterns) as Property[]; // its own keys

export function isProperty(name: string): name is Property {
  return Object.hasOwn(patterns, name);
}

export function isValue(property: Property, value: string): boolean {
  return patterns[property].test(value);
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(${pattern})$`);
}
