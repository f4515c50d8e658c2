import { type PGlite, protocol, types } from "@electric-sql/pglite";
import { BYTEA_ARRAY } from "./byte-arrays.ts";

/**
 * Runs statements of the embedded database by PostgreSQL's own messages. PGlite's `query` plans each statement again, in
 * five calls into the database, and turns bytes into text and back: five times the time for a small statement, and
 * twice for a record of a megabyte.
 */
export type Statements = {
  /**
   * The rows of a statement. A text without parameters may have several statements, of which the last one's rows are
   * returned. What has a name is planned once. One call at a time.
   */
  run(name: string, text: string, parameters: readonly unknown[]): Promise<Row[]>;
};

type Row = Record<string, unknown>;
type Field = { name: string; dataTypeID: number };
type Plan = { parameterTypes: number[]; fields: Field[] };

const { serialize, messages } = protocol;
const { BYTEA, parseType } = types;

export function createStatements(database: PGlite): Statements {
  const plans = new Map<string, Plan>();

  async function planOf(name: string, text: string): Promise<Plan> {
    const known = plans.get(name);
    if (known) return known;
    const parse = serialize.parse({ name, text });
    const describe = serialize.describe({ type: "S", name });
    const plan = await ask(database, [parse, describe, serialize.sync()]);
    if (name !== "") plans.set(name, plan);
    return plan;
  }

  return {
    async run(name, text, parameters) {
      if (parameters.length === 0) return (await ask(database, [serialize.query(text)])).rows;
      const plan = await planOf(name, text);
      const bound = bind(name, plan, parameters, database);
      const { rows } = await ask(database, [bound, serialize.execute(), serialize.sync()], plan);
      return rows;
    },
  };
}

const TEXT = 0;
const BINARY = 1;
const SHORT_BYTES = 2;
const INT_BYTES = 4;
/** A message is a letter, the length of what follows the letter, and a body. */
const HEADER_BYTES = 1 + INT_BYTES;
const DATA_ROW = "D".charCodeAt(0);

/** Bytes are sent and returned as they are, everything else as text. */
function bind(
  statement: string,
  { parameterTypes, fields }: Plan,
  parameters: readonly unknown[],
  { serializers }: PGlite,
): Uint8Array {
  const values = parameters.map((value, i) => {
    if (value === null || value === undefined) return null;
    const type = parameterTypes[i] ?? 0;
    if (type === BYTEA || type === BYTEA_ARRAY) return value as Uint8Array;
    return serializers[type]?.(value) ?? String(value);
  });
  const bound = serialize.bind({ statement, values });
  // It ends with the number of formats that follow, which is none.
  const message = Buffer.alloc(bound.length + fields.length * SHORT_BYTES);
  message.set(bound);
  message.writeInt32BE(message.length - 1, 1);
  let at = bound.length - SHORT_BYTES;
  for (const each of [fields.length, ...fields.map(formatOf)]) at = message.writeInt16BE(each, at);
  return message;
}

function formatOf({ dataTypeID }: Field): number {
  return dataTypeID === BYTEA ? BINARY : TEXT;
}

type Answer = Plan & { rows: Row[] };

/** Throws the first error, once everything is answered. */
async function ask(database: PGlite, asked: Uint8Array[], plan?: Plan): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  await database.execProtocolRawStream(Buffer.concat(asked), {
    // The chunk is the database's own memory.
    onRawData: (chunk) => void chunks.push(chunk.slice()),
  });
  const { parsers } = database;
  const answer: Answer = { rows: [], parameterTypes: [], fields: plan?.fields ?? [] };
  const formats = plan?.fields.map(formatOf) ?? [];
  const parser = new protocol.Parser();
  const failures: Error[] = [];
  let rows: Row[] = [];
  for (const message of split(Buffer.concat(chunks))) {
    if (message[0] === DATA_ROW) {
      const values = valuesIn(message);
      const row = answer.fields.map(({ name, dataTypeID }, i) => {
        const value = values[i] ?? null;
        if (value === null || formats[i] === BINARY) return [name, value && new Uint8Array(value)];
        return [name, parseType(value.toString(), dataTypeID, parsers)];
      });
      rows.push(Object.fromEntries(row));
      continue;
    }
    parser.parse(message, (read) => {
      if (read instanceof messages.DatabaseError) failures.push(read);
      if (read instanceof messages.ParameterDescriptionMessage) {
        answer.parameterTypes = read.dataTypeIDs;
      }
      if (read instanceof messages.RowDescriptionMessage) answer.fields = read.fields;
      if (read instanceof messages.CommandCompleteMessage) {
        answer.rows = rows;
        rows = [];
      }
    });
  }
  const [failure] = failures;
  if (failure) throw failure;
  return answer;
}

function* split(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** The values of a row, null for NULL. */
function valuesIn(message: Buffer): (Buffer | null)[] {
  const values: (Buffer | null)[] = [];
  for (let at = HEADER_BYTES + SHORT_BYTES; at < message.length; ) {
    const length = message.readInt32BE(at);
    const start = at + INT_BYTES;
    at = start + Math.max(length, 0);
    values.push(length < 0 ? null : message.subarray(start, at));
  }
  return values;
}
