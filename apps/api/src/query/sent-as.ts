import { shorten } from "@keyhearth/engine/errors";
import { type Hint, isObject } from "@keyhearth/engine/fields/parse";
import { nearest } from "@keyhearth/policy/errors";
import * as z from "zod";

/** What else a field is called, such as by the answer that its value comes from. */
export const otherNames = z.registry<{ names: readonly string[] }>();

/** More members than these are not looked at, and strangers choose their names. */
const MAX_MEMBERS = 50;
const MAX_NAME_LENGTH = 64;

/** The member that has a missing field's value, if one of those that mean nothing has such a name. */
export const sentAs: Hint = ({ name, given, schema }) => {
  if (!isObject(given)) return "";
  const shape: Record<string, z.ZodType> = schema instanceof z.ZodObject ? schema.shape : {};
  const others = Object.keys(given)
    .slice(0, MAX_MEMBERS)
    .filter((member) => member.length <= MAX_NAME_LENGTH && !Object.hasOwn(shape, member));
  const field = shape[name];
  const names = field ? (otherNames.get(field)?.names ?? []) : [];
  const sent = others.find((member) => names.includes(member)) ?? nearest(name, others);
  return sent === undefined ? "" : `; did you send it as \`${shorten(sent)}\`?`;
};
