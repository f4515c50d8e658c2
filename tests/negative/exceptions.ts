import type { Mistake } from "./cases.ts";

/** A mistake that is accepted in a field, or refused in another way. */
export type Exception = {
  /** The end of the field's path. */
  field: string | RegExp;
  mistakes: Mistake[];
  /** The operations that accept it, if not all do that have the field. */
  operation?: RegExp;
  why: string;
};

const ONE_OF_A_SET = "a filter is a set: a repeated value counts once";
const UNSET = "released clients send an empty text for what is unset";

export const exceptions: readonly Exception[] = [
  {
    field: "expirationSeconds",
    mistakes: ["number"],
    why: "released clients send a number as well as a text",
  },
  {
    field: "parameters.value",
    mistakes: ["empty"],
    operation: /set_organization_feature/,
    why: "most features have no value",
  },
  {
    field: "transports",
    mistakes: ["duplicate"],
    why: "a way to reach the authenticator that is repeated says the same",
  },
  {
    field: /uthenticator(s\[0\])?\.userId$/,
    mistakes: ["foreign"],
    why: "the oldest form names a user, but the passkey belongs to the user whom the request is about",
  },
  {
    field: "parameters.userId",
    mistakes: ["foreign"],
    operation: /accept_invitation/,
    why: "a stamp by the new passkey comes first; tests/attacks/invitations.test.ts has one",
  },
  {
    field: "parameters.otpCode",
    mistakes: ["wrong format"],
    why: "a code of another form is a wrong code, and whether it is wrong is said only of one that was sent",
  },
  {
    field: /parameters\.(userEmail|userPhoneNumber)$/,
    mistakes: ["empty"],
    operation: /update_user_(email|phone_number)/,
    why: "an empty text removes the contact",
  },
  { field: "notes", mistakes: ["empty"], why: "notes are optional" },
  { field: "policyNotes", mistakes: ["empty"], why: "an empty text removes the notes" },
  { field: "policyCondition", mistakes: ["empty"], why: "an empty text removes the clause" },
  { field: "policyConsensus", mistakes: ["empty"], why: "an empty text removes the clause" },
  { field: "time", mistakes: ["empty"], why: "an empty time is documented to mean always" },
  { field: "selectors", mistakes: ["duplicate"], why: "a test that is repeated says the same" },
  {
    field: "targets",
    mistakes: ["duplicate"],
    why: "a value that is repeated in a set says the same",
  },
  {
    field: "subOrganizationName",
    mistakes: ["empty"],
    why: "released clients send sub-organizations without a name",
  },
  { field: "address", mistakes: ["empty"], operation: /get_wallet_account/, why: UNSET },
  { field: "value", mistakes: ["empty"], operation: /set_organization_feature/, why: UNSET },
  { field: "path", mistakes: ["empty"], operation: /get_wallet_account/, why: UNSET },
  {
    field: "filterValue",
    mistakes: ["wrong format"],
    why: "a value that nothing can have finds nothing",
  },
  {
    field: "privateKeyId",
    mistakes: ["foreign"],
    operation: /sign_/,
    why: "the error names `signWith`, as newer versions call the field",
  },
  {
    field: "paginationOptions",
    mistakes: ["unknown field"],
    why: "a query leaves out what it does not know",
  },
  { field: "paginationOptions.limit", mistakes: ["empty"], why: UNSET },
  { field: "paginationOptions.before", mistakes: ["empty"], why: UNSET },
  { field: "paginationOptions.after", mistakes: ["empty"], why: UNSET },
  { field: "filterByType", mistakes: ["duplicate", "too long"], why: ONE_OF_A_SET },
  { field: "filterByStatus", mistakes: ["duplicate", "too long"], why: ONE_OF_A_SET },
  { field: /(Ids|Tags)$/, mistakes: ["duplicate"], why: "a repeated id counts once" },
  {
    field: "userId",
    mistakes: ["foreign"],
    operation: /import/,
    why: "nobody imports for another user, so the answer is 403 whoever it is",
  },
];
