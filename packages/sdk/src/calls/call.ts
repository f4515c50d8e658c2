import type { Connection } from "../connection/connection.ts";
import type {
  Decided,
  QueryOptions,
  SubmissionFacts,
  SubmitOptions,
  Submitted,
} from "../connection/options.ts";
import type { Activity } from "../generated/types.ts";

// What each call of the API is. `calls/generated/calls.ts` lists them, one exported value a call, so that a
// bundler keeps only those that a program imports.

/** The versions of a submission by activity type. */
export type Versions = Record<string, { parameters: object; result: object }>;

/** A completed submission's result; of an approval or a rejection, what it was about. */
export type Answer<Result> = Result extends Decided ? Result : Submitted<Result>;

/**
 * A submission. Called, it sends the request, polls until the activity ends, and returns the fields of
 * its result with the `activity`. It throws `ConsensusNeeded` if other users have to approve first, and
 * another `KeyhearthError` if there is no result.
 */
export type Submission<All extends Versions, Default extends keyof All & string> = {
  <Type extends keyof All & string = Default>(
    connection: Connection,
    parameters: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Answer<All[Type]["result"]>>;
  /** Sends the request, and returns the activity as the service first answered it. */
  submit<Type extends keyof All & string = Default>(
    connection: Connection,
    parameters: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Activity>;
  /** Only a type: what `KeyhearthClient` has for this submission. */
  readonly "~method"?: SubmissionMethod<All, Default>;
};

/** A submission whose parameters may be left out. */
export type BareSubmission<All extends Versions, Default extends keyof All & string> = {
  <Type extends keyof All & string = Default>(
    connection: Connection,
    parameters?: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Answer<All[Type]["result"]>>;
  /** Sends the request, and returns the activity as the service first answered it. */
  submit<Type extends keyof All & string = Default>(
    connection: Connection,
    parameters?: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Activity>;
  /** Only a type: what `KeyhearthClient` has for this submission. */
  readonly "~method"?: BareSubmissionMethod<All, Default>;
};

/** A query: what it returns is what the service answers. */
export type Query<Parameters extends object, Result> = {
  (connection: Connection, parameters: Parameters, options?: QueryOptions): Promise<Result>;
  /** Only a type: what `KeyhearthClient` has for this query. */
  readonly "~method"?: (parameters: Parameters, options?: QueryOptions) => Promise<Result>;
};

/** A query whose parameters may be left out. */
export type BareQuery<Parameters extends object, Result> = {
  (connection: Connection, parameters?: Parameters, options?: QueryOptions): Promise<Result>;
  /** Only a type: what `KeyhearthClient` has for this query. */
  readonly "~method"?: (parameters?: Parameters, options?: QueryOptions) => Promise<Result>;
};

/** A submission as a method of `KeyhearthClient`. */
type SubmissionMethod<All extends Versions, Default extends keyof All & string> = {
  <Type extends keyof All & string = Default>(
    parameters: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Answer<All[Type]["result"]>>;
  /** Sends the request, and returns the activity as the service first answered it. */
  submit<Type extends keyof All & string = Default>(
    parameters: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Activity>;
};

/** A submission as a method of `KeyhearthClient`, if its parameters may be left out. */
type BareSubmissionMethod<All extends Versions, Default extends keyof All & string> = {
  <Type extends keyof All & string = Default>(
    parameters?: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Answer<All[Type]["result"]>>;
  /** Sends the request, and returns the activity as the service first answered it. */
  submit<Type extends keyof All & string = Default>(
    parameters?: All[Type]["parameters"],
    options?: SubmitOptions<Type>,
  ): Promise<Activity>;
};

/** A call as a method that no longer takes a connection. */
export type MethodOf<Call> = Call extends { readonly "~method"?: infer Method }
  ? NonNullable<Method>
  : never;

/** Every call of `Calls` as a method. */
export type MethodsOf<Calls> = { readonly [Name in keyof Calls]: MethodOf<Calls[Name]> };

/** Makes a submission. `resultKeys` is ordered as the versions in the contract. */
export function submission<All extends Versions, Default extends keyof All & string>(
  name: string,
  defaultType: Default,
  resultKeys: Record<keyof All & string, string>,
): Submission<All, Default> & BareSubmission<All, Default> {
  const facts: SubmissionFacts = { path: `/public/v1/submit/${name}`, defaultType, resultKeys };
  return Object.assign(
    async <Result>(
      connection: Connection,
      parameters: object = {},
      options?: SubmitOptions<string>,
    ): Promise<Result> => (await checked(connection)).perform(facts, parameters, options),
    {
      submit: async (
        connection: Connection,
        parameters: object = {},
        options?: SubmitOptions<string>,
      ): Promise<Activity> => (await checked(connection)).submit(facts, parameters, options),
    },
  );
}

/** Makes a query. */
export function query<Parameters extends object, Result>(
  name: string,
): BareQuery<Parameters, Result> {
  const path = `/public/v1/query/${name}`;
  return async (connection, parameters, options) =>
    (await checked(connection)).query(path, parameters ?? {}, options);
}

/** The connection, or `InvalidField` for something else in its place. */
async function checked(connection: Connection): Promise<Connection> {
  if (typeof connection?.perform === "function") return connection;
  // Loaded when it is needed: a program in TypeScript never needs it.
  const { checkConnection } = await import("../errors/invalid-fields.ts");
  checkConnection(connection);
  return connection;
}

/** The calls as methods of a connection. */
export function bindCalls<Calls extends object>(
  connection: Connection,
  calls: Calls,
): MethodsOf<Calls> {
  const methods = Object.entries(calls).map(([name, call]) => [name, bindCall(connection, call)]);
  // Each entry has the name of its call, and takes what the call takes without the connection.
  return Object.fromEntries(methods) as MethodsOf<Calls>;
}

type AnyCall = {
  (connection: Connection, ...rest: unknown[]): unknown;
  submit?(connection: Connection, ...rest: unknown[]): unknown;
};

function bindCall(connection: Connection, call: AnyCall) {
  const method = (...rest: unknown[]) => call(connection, ...rest);
  if (!call.submit) return method;
  const { submit } = call;
  return Object.assign(method, { submit: (...rest: unknown[]) => submit(connection, ...rest) });
}
