/** The platform's primitives: `node:crypto` on Node, portable code elsewhere; same results. */
export * from "#primitives";
