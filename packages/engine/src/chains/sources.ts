import type { Facts } from "../records/facts.ts";
import type { ParsedInterfaces } from "./contract-interfaces.ts";

/** What a declaration's `read` can use besides the intent. */
export type Sources = Facts & { readonly interfaces: ParsedInterfaces };
