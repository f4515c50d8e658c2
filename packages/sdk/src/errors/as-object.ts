/** Options as an object. Anything else has no members, so each of them is found to be missing. */
export function asObject<Options extends object>(given: Options): Options {
  // Programs in plain JavaScript may have passed anything. An empty object fails the check of each member.
  return typeof given === "object" && given !== null ? given : ({} as Options);
}
