import { HeldSecret } from "@keyhearth/crypto/secret";
import { visible } from "@keyhearth/engine/errors";
import pino from "pino";
import type { LogLevel } from "../config/variables.ts";

export type Log = pino.Logger;

export type LogDestination = { write(line: string): void };

/**
 * JSON lines on a pipe or in a file, short lines on a terminal. Secrets are removed by the name of
 * the member that holds them, at any depth. Bytes are never written.
 */
export function createLog({
  level,
  destination = process.stdout.isTTY ? terminal(process.stdout) : pino.destination(1),
  isPassing = () => false,
  more,
}: {
  level: LogLevel;
  destination?: LogDestination;
  /** Whether an error passes by itself, such as a database that is away: then nobody looks for a place in the code. */
  isPassing?: (error: unknown) => boolean;
  /** What every line has in addition, such as the ids of a trace. */
  more?: (() => object) | undefined;
}): Log {
  const describe = (error: unknown) =>
    isPassing(error) ? withoutStack(describeError(error)) : describeError(error);
  return pino(
    {
      level,
      base: { pid: process.pid },
      ...(more && { mixin: () => ({ ...more() }) }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: ({ err, ...object }) => ({
          ...redactMembers(object, 0),
          ...(err !== undefined && { err: describe(err) }),
        }),
      },
      // The bindings of a child logger do not pass through the formatter above.
      redact: { paths: [...secretNames].map((name) => `["${name}"]`), censor: redacted },
      serializers: {
        err: describe,
        msg: (text: string) => cutTo(LONGEST_TEXT, printable(text)),
      },
    },
    destination,
  );
}

const redacted = "[redacted]";

const secretNames = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "stamp",
  "x-stamp",
  "x-stamp-webauthn",
  "x-stamp-attested",
  "x-session",
  "session",
  "privateKey",
  "seed",
  "mnemonic",
  "secret",
  "password",
  "passphrase",
  "token",
  "otpCode",
]);

const plainSecretNames = new Set([...secretNames].map(plainName));

/** `apiPrivateKey`, `client_secret`, `verificationToken`; but not `privateKeyId`. */
const secretEnding = /(privatekey|seed|mnemonic|secret|password|passphrase|token)s?$/;

/** Deep enough for what is logged, and it ends every cycle. */
const deepest = 8;

function redactMembers(object: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      isSecretName(name) ? redacted : redactValue(value, depth + 1),
    ]),
  );
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return printable(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (value instanceof Error) return describeError(value);
  if (value instanceof HeldSecret) return value.toString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof URL) return printable(value.href);
  if (depth >= deepest) return "[deep]";
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  return redactMembers(value, depth);
}

function isSecretName(name: string): boolean {
  const plain = plainName(name);
  return plainSecretNames.has(plain) || secretEnding.test(plain);
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/**
 * Without the passwords in URLs, and without the characters that JSON leaves as they are though a
 * terminal acts on them. Strangers choose paths, so the time must grow with the length only: a scheme
 * has at most 32 characters here, or each of the letters in a long text could begin one that never ends.
 */
function printable(text: string): string {
  const shown = visible(text, beyondJson);
  if (!shown.includes("://")) return shown;
  return shown.replace(/(\b[a-z][a-z0-9+.-]{0,31}:\/\/[^\s:/@]*):[^\s@/]+@/gi, `$1:${redacted}@`);
}

const beyondJson = /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

type ErrorLine = {
  type: string;
  message: string;
  code?: unknown;
  reason?: unknown;
  stack?: string;
  cause?: ErrorLine;
};

/** Of what a stranger sent, an error may repeat everything, twice. */
const LONGEST_MESSAGE = 1000;
const LONGEST_TEXT = 4000;

/** After passwords were removed, because half of one would not look like one. */
function cutTo(most: number, text: string): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** Only these members: libraries attach requests, rows and credentials to their errors. */
function describeError(error: unknown, depth = 0): ErrorLine {
  if (!(error instanceof Error)) {
    // pino passes the formatter's result to the serializer.
    if (isErrorLine(error)) return error;
    return { type: typeof error, message: printable(String(error)) };
  }
  const code = "code" in error ? error.code : undefined;
  const reason = "reason" in error ? error.reason : undefined;
  return {
    type: error.name,
    message: cutTo(LONGEST_MESSAGE, printable(error.message)),
    ...(code === undefined ? {} : { code }),
    ...(typeof reason === "string" ? { reason } : {}),
    ...(error.stack === undefined ? {} : { stack: cutTo(LONGEST_TEXT, printable(error.stack)) }),
    ...(error.cause instanceof Error && depth < deepest
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  };
}

function withoutStack({ stack: _, cause, ...line }: ErrorLine): ErrorLine {
  return cause ? { ...line, cause: withoutStack(cause) } : line;
}

function isErrorLine(value: unknown): value is ErrorLine {
  return typeof value === "object" && value !== null && "type" in value && "message" in value;
}

/** Turns a JSON line into `12:30:01 info message name=value`. */
export function terminal(stream: LogDestination): LogDestination {
  return {
    write(line) {
      const { time, level, pid: _, msg, err, ...rest } = JSON.parse(line);
      const members = Object.entries(rest).map(([name, value]) => `${name}=${showMember(value)}`);
      const head = [String(time).slice(11, 19), String(level).padEnd(5), msg, ...members];
      const text = head.filter((part) => part !== undefined).join(" ");
      const trace = err && (err.stack ?? err.message);
      stream.write(`${visible(trace === undefined ? text : `${text}\n${trace}`)}\n`);
    },
  };
}

function showMember(value: unknown): string {
  return typeof value === "string" && !/\s/.test(value) ? value : JSON.stringify(value);
}
