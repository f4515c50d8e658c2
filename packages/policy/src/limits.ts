/** Characters of one expression. */
export const MAX_LENGTH = 16_384;

/** Levels of nesting, of parentheses as well as of the tree. */
export const MAX_DEPTH = 64;

/** Fields of an object, with those of the objects inside it. */
export const MAX_FIELDS = 1000;

/**
 * Work of one evaluation: nodes evaluated, elements compared, 256 characters read. A CronSpan takes more.
 */
export const MAX_STEPS = 100_000;

/** Work of a CronSpan, which asks for a few offsets of its time zone if nobody has asked for them lately. */
export const CRON_SPAN_STEPS = 500;

/** Work of all policies of one decision together. */
export const MAX_DECISION_STEPS = 1_000_000;

/** Work of finding out what votes could still do, for all policies of a decision together. */
export const MAX_VOTE_STEPS = 1_000_000;

/** Range of literals of `int`; literals above it are `uint`. */
export const MIN_INT = -(2n ** 127n);
export const MAX_INT = 2n ** 127n - 1n;
export const MAX_UINT = 2n ** 256n - 1n;

/** The least integer of a request, that of `int256`. */
export const MIN_VALUE = -(2n ** 255n);
