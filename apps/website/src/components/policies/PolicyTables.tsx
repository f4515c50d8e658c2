import Translate, { translate } from "@docusaurus/Translate";
import useBrokenLinks from "@docusaurus/useBrokenLinks";
import { ACTIVITY_PARAMS, ROOTS } from "@keyhearth/policy/schema";
import { nameOf, type StructType, type Type } from "@keyhearth/policy/types";
import CodeInline from "@theme/CodeInline";
import { Fragment } from "react";
import { Prose } from "../Prose.tsx";
import { ScrollingTable } from "../ScrollingTable.tsx";
import { fieldNotes, rootNotes } from "./field-notes.ts";
import styles from "./PolicyTables.module.css";
import { shownStructs, structsOf, structsOfChain } from "./structs.ts";
import { isSupported } from "./unsupported.ts";
import { UNSUPPORTED_CHAINS } from "./unsupported-chains.ts";

type Clause = keyof typeof ROOTS;

const byActivity = translate({ id: "table.structByActivity", message: "struct, by activity" });

/** Notes by names that the schema has. A test compares the names. */
const notesOfRoots: Record<string, string> = rootNotes;
const notesOfFields: Record<string, Record<string, string>> = fieldNotes;

/** The names that a clause can read, from the schema of the language. */
export function PolicyRoots({ clause }: { clause: Clause }) {
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">
            <Translate id="table.nameAndType">Name and type</Translate>
          </th>
          <th scope="col">
            {clause === "condition" ? (
              <Translate id="table.setWhen">Set when</Translate>
            ) : (
              <Translate id="table.meaning">Meaning</Translate>
            )}
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(ROOTS[clause]).flatMap(([root, type]) =>
          pathsOf(root, type).map(([path, inner]) => (
            <tr key={path}>
              <td>
                <CodeInline>{path}</CodeInline>
                <TypeName type={inner} />
              </td>
              <td>
                <Prose text={noteOf(root, path)} />
                {!isThere(root) && <Later />}
              </td>
            </tr>
          )),
        )}
      </tbody>
    </ScrollingTable>
  );
}

/** One table for each struct named in `only`; the clause must be able to reach all of them. */
export function PolicyStructs({ clause, only }: { clause: Clause; only: readonly string[] }) {
  const structs = new Map(shownStructs(clause).map((struct) => [struct.name, struct]));
  return only.map((name) => {
    const struct = structs.get(name);
    if (!struct) throw new Error(`a page shows the struct \`${name}\`, which does not exist`);
    return <StructTable key={name} struct={struct} />;
  });
}

/** One table for each struct of what can be signed for a chain. */
export function ChainStructs({ name }: { name: string }) {
  return structsOfChain(name).map((struct) => <StructTable key={struct.name} struct={struct} />);
}

/** `activity.params` by kind of activity. */
export function PolicyParams() {
  return <ParamTable rows={paramRows().filter(({ kind }) => isSupported({ kind }))} />;
}

function ParamTable({ rows }: { rows: ReturnType<typeof paramRows> }) {
  return (
    <ScrollingTable>
      <thead>
        <tr>
          <th scope="col">
            <Translate id="table.kind">Kind</Translate>
          </th>
          <th scope="col">
            <Translate id="table.field">Field</Translate>
          </th>
          <th scope="col">
            <Translate id="table.type">Type</Translate>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ kind, field, type, isOptional, isFirst }) => (
          <tr key={`${kind}.${field}`}>
            <td>{isFirst && <CodeInline>{kind}</CodeInline>}</td>
            <td>
              <CodeInline>{field}</CodeInline>
              {isOptional && (
                <span className={styles.mark}>
                  <Translate id="table.optional">optional</Translate>
                </span>
              )}
            </td>
            <td>
              <CodeInline>{nameOf(type)}</CodeInline>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}

/** Parameters of the kinds that the language knows but the service does not have yet. */
export function PolicyParamsLater() {
  const rows = paramRows().filter(({ kind }) => !isSupported({ kind }));
  const structs = structsOf(
    Object.fromEntries(rows.map(({ kind, field, type }) => [`${kind}.${field}`, type])),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <ParamTable rows={rows} />
      <p>
        <Translate id="table.laterStructs">
          {
            "The structs in this table have these fields. A field that isn’t set reads as '', 0 or []:"
          }
        </Translate>
      </p>
      <dl className={styles.small}>
        {structs.map(({ name, fields }) => (
          <Fragment key={name}>
            <dt>
              <CodeInline>{name}</CodeInline>
            </dt>
            <dd>
              {Object.entries(fields).map(([field, type], index) => (
                <Fragment key={field}>
                  {index > 0 && ", "}
                  <CodeInline>{`${field}: ${nameOf(type)}`}</CodeInline>
                </Fragment>
              ))}
            </dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

function StructTable({ struct: { name, fields } }: { struct: StructType }) {
  const id = anchorOf(name);
  useBrokenLinks().collectAnchor(id);
  return (
    <div id={id} className={styles.struct}>
      <p className={styles.name}>
        <a href={`#${id}`}>{name}</a>
      </p>
      <ScrollingTable>
        <thead>
          <tr>
            <th scope="col">
              <Translate id="table.fieldAndType">Field and type</Translate>
            </th>
            <th scope="col">
              <Translate id="table.meaning">Meaning</Translate>
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(fields).map(([field, type]) => (
            <tr key={field}>
              <td>
                <CodeInline>{field}</CodeInline>
                <TypeName type={type} />
              </td>
              <td>
                <Prose text={notesOfFields[name]?.[field] ?? ""} />
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollingTable>
    </div>
  );
}

function TypeName({ type }: { type: Type }) {
  const inner = type.kind === "list" ? type.element : type;
  const isLinked = inner.kind === "struct" && notesOfFields[inner.name] !== undefined;
  const text = <CodeInline>{shownType(type)}</CodeInline>;
  return (
    <span className={styles.type}>
      {isLinked && inner.kind === "struct" ? <a href={`#${anchorOf(inner.name)}`}>{text}</a> : text}
      {type.kind === "string" && type.anyCase && (
        <span className={styles.mark}>
          <Translate id="table.anyCase">any case</Translate>
        </span>
      )}
    </span>
  );
}

/** The type as the tables show it. They mark text that compares in any case separately. */
function shownType(type: Type): string {
  if (type.kind === "dynamic" && type.objects === "structs") return byActivity;
  return nameOf(type);
}

function Later() {
  return (
    <span className={styles.mark}>
      <Translate id="policy.later">not in this version of the service</Translate>
    </span>
  );
}

function anchorOf(struct: string): string {
  return `type-${struct.toLowerCase()}`;
}

/** A root that only contains other values, such as `eth`, is shown as its fields: `eth.tx`. */
function pathsOf(root: string, type: Type): [string, Type][] {
  if (type.kind !== "struct" || type.name !== root) return [[root, type]];
  return Object.entries(type.fields).map(([field, inner]) => [`${root}.${field}`, inner]);
}

function noteOf(root: string, path: string): string {
  const note = root === "eth" ? notesOfFields.eth?.[path.slice("eth.".length)] : notesOfRoots[root];
  return note ?? "";
}

function isThere(root: string): boolean {
  if (root === "wallets") return isSupported({ kind: "DELETE_WALLETS" });
  if (root === "secret") return isSupported({ kind: "EXPORT_SECRETS" });
  return !UNSUPPORTED_CHAINS.includes(root);
}

function paramRows() {
  return Object.entries(ACTIVITY_PARAMS).flatMap(([kind, fields]) =>
    Object.entries(fields).map(([field, { type, isOptional }], index) => {
      return { kind, field, type, isOptional, isFirst: index === 0 };
    }),
  );
}
