import { Conflict, InvalidField, NotFound } from "@keyhearth/sdk";
import { expect, test } from "vitest";
import { fieldErrors } from "./field-errors.ts";

const invalid = (...fields: { field: string; message: string }[]) =>
  new InvalidField("several fields are wrong", { code: "INVALID_FIELD", fields });

test("what the service says about a field is said at the field of the form", () => {
  const error = invalid(
    { field: "parameters.walletName", message: "`parameters.walletName` must not be empty" },
    {
      field: "parameters.accounts[1].curve",
      message: "`parameters.accounts[1].curve` must be one of a, b",
    },
    { field: "parameters.users[0].userEmail", message: "must be an email address" },
  );
  const names = ["walletName", "accounts.0.curve", "accounts.1.curve", "email"] as const;
  expect(fieldErrors(error, names, { userEmail: "email" })).toEqual({
    atFields: [
      { name: "walletName", message: "Must not be empty." },
      { name: "accounts.1.curve", message: "Must be one of a, b." },
      { name: "email", message: "Must be an email address." },
    ],
    rest: undefined,
  });
});

test("a name that is taken is said at its field", () => {
  const facts = { code: "LABEL_TAKEN", field: "parameters.walletName" };
  const taken = new Conflict("label must be unique, and `Treasury` is taken", facts);
  expect(fieldErrors(taken, ["walletName"])).toEqual({
    atFields: [{ name: "walletName", message: "Label must be unique, and `Treasury` is taken." }],
    rest: undefined,
  });
  const other = new Conflict("it is decided already", { code: "ALREADY_DECIDED" });
  expect(fieldErrors(other, ["walletName"])).toEqual({ atFields: [], rest: other });
});

test("what no field shows is said for the form", () => {
  const partly = invalid(
    { field: "parameters.walletName", message: "must not be empty" },
    { field: "timestampMs", message: "must be now" },
  );
  expect(fieldErrors(partly, ["walletName"])).toEqual({
    atFields: [{ name: "walletName", message: "Must not be empty." }],
    rest: partly,
  });
  const other = new NotFound("no such wallet", { code: "WALLET_NOT_FOUND" });
  expect(fieldErrors(other, ["walletName"])).toEqual({ atFields: [], rest: other });
  const whole = new InvalidField("wrong as a whole", { code: "INVALID_REQUEST" });
  expect(fieldErrors(whole, ["walletName"])).toEqual({ atFields: [], rest: whole });
});
