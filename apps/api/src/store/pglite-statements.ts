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
    const plan = await ask(database, Buffer.concat([parse, describe, serialize.sync()]));
    if (name !== "") plans.set(name, plan);
    return plan;
  }

  return {
    async run(name, text, parameters) {
      if (parameters.length === 0) return (await ask(database, serialize.query(text))).rows;
      const plan = await planOf(name, text);
      return (await ask(database, bindAndRun(name, plan, parameters, database), plan)).rows;
    },
  };
}

const TEXT = 0;
const BINARY = 1;
const SHORT_BYTES = 2;
const INT_BYTES = 4;
/** A message is a letter, the length of what follows the letter, and a body. */
const HEADER_BYTES = 1 + INT_BYTES;
const BIND = "B".charCodeAt(0);
const DATA_ROW = "D".charCodeAt(0);

/** What runs a statement once it is bound: without a limit of rows. */
const EXECUTE_AND_SYNC = Buffer.concat([serialize.execute(), serialize.sync()]);

/**
 * Binds a statement and runs it, in one buffer of the right size: records of a megabyte are written into it once. Bytes
 * are sent and returned as they are, everything else as text.
 */
function bindAndRun(
  statement: string,
  { parameterTypes, fields }: Plan,
  parameters: readonly unknown[],
  { serializers }: PGlite,
): Buffer {
  const values = parameters.map((value, i) => {
    if (value === null || value === undefined) return null;
    const type = parameterTypes[i] ?? 0;
    if (type === BYTEA || type === BYTEA_ARRAY) return value as Uint8Array;
    return serializers[type]?.(value) ?? String(value);
  });
  const sizes = values.map(sizeOf);
  const valueBytes = sizes.reduce((sum, size) => sum + size, 0);
  // Texts end with a zero byte. The first is the name of the portal, which has none.
  const nameBytes = 1 + Buffer.byteLength(statement) + 1;
  const countBytes = 3 * SHORT_BYTES + values.length * (SHORT_BYTES + INT_BYTES);
  const resultBytes = fields.length * SHORT_BYTES;
  const length = INT_BYTES + nameBytes + countBytes + valueBytes + resultBytes;
  const message = Buffer.allocUnsafe(1 + length + EXECUTE_AND_SYNC.length);
  const shorts = (list: number[], at: number) =>
    [list.length, ...list].reduce((next, each) => message.writeInt16BE(each, next), at);
  let at = message.writeUInt8(BIND);
  at = message.writeInt32BE(length, at);
  at = message.writeUInt8(0, at);
  at += message.write(statement, at);
  at = message.writeUInt8(0, at);
  at = shorts(
    values.map((value) => (value instanceof Uint8Array ? BINARY : TEXT)),
    at,
  );
  at = message.writeInt16BE(values.length, at);
  for (const [i, value] of values.entries()) {
    at = message.writeInt32BE(value === null ? -1 : (sizes[i] ?? 0), at);
    if (typeof value === "string") message.write(value, at);
    else if (value) message.set(value, at);
    at += sizes[i] ?? 0;
  }
  at = shorts(fields.map(formatOf), at);
  message.set(EXECUTE_AND_SYNC, at);
  return message;
}

function sizeOf(value: string | Uint8Array | null): number {
  if (value === null) return 0;
  return typeof value === "string" ? Buffer.byteLength(value) : value.length;
}

function formatOf({ dataTypeID }: Field): number {
  return dataTypeID === BYTEA ? BINARY : TEXT;
}

type Answer = Plan & { rows: Row[] };

/** Throws the first error, once everything is answered. */
async function ask(database: PGlite, asked: Uint8Array, plan?: Plan): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  await database.execProtocolRawStream(asked, {
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
