/** The courier cannot start, and a person can change that. The message is one sentence that says how. */
export class CourierStartError extends Error {}
