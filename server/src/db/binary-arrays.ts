/** The types of columns in the database, and how their values look here. JSON is a text. */
export type ValueOf = {
  text: string;
  boolean: boolean;
  smallint: number;
  integer: number;
  bigint: bigint;
  timestamptz: Date;
  jsonb: string;
  bytea: Buffer;
};
export type ColumnType = keyof ValueOf;

/**
 * The value of each row as an array in PostgreSQL's binary form, which the driver sends as it is. It is put together as a text in which
 * each character is a byte: one long text becomes a buffer several times faster than many values are written into one.
 */
export function toBinaryArray<Row, T extends ColumnType>(
  type: T,
  rows: readonly Row[],
  value: (row: Row) => ValueOf[T] | null,
): Buffer {
  const write: Writer<ValueOf[T]> = WRITERS[type];
  const [dimensions, bounds] = rows.length === 0 ? [0, ""] : [1, int4(rows.length) + int4(1)];
  const head = int4(dimensions) + int4(0) + int4(OIDS[type]) + bounds;
  return Buffer.from(head + write(rows, value), "latin1");
}

/** PostgreSQL's numbers of the types. */
const OIDS: Readonly<Record<ColumnType, number>> = {
  text: 25,
  boolean: 16,
  smallint: 21,
  integer: 23,
  bigint: 20,
  timestamptz: 1184,
  jsonb: 3802,
  bytea: 17,
};

/** Writes an element for each row: its size and its bytes. */
type Writer<V> = <Row>(rows: readonly Row[], value: (row: Row) => V | null) => string;

const writerOf =
  <V>(write: (value: V) => string): Writer<V> =>
  (rows, value) => {
    let bytes = "";
    for (const row of rows) {
      const one = value(row);
      bytes += one === null ? NULL : write(one);
    }
    return bytes;
  };

/** Nearly all texts are ASCII, which is UTF-8 as it is. Where there is another character, each text is encoded. */
const textWriterOf = (prefix: string): Writer<string> => {
  const writeEncoded = writerOf((text: string) => sized(prefix + Buffer.from(text).toString("latin1")));
  return (rows, value) => {
    let bytes = "";
    let texts = "";
    for (const row of rows) {
      const one = value(row);
      if (one === null) bytes += NULL;
      else {
        bytes += sized(prefix + one);
        texts += one;
      }
    }
    const isAscii = Buffer.byteLength(texts) === texts.length;
    return isAscii ? bytes : writeEncoded(rows, value);
  };
};

const int4 = (value: number): string =>
  String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);

const SIZES: readonly string[] = Array.from({ length: 256 }, (_, size) => int4(size));
const sized = (bytes: string): string => (SIZES[bytes.length] ?? int4(bytes.length)) + bytes;
/** The size of what is not there. */
const NULL = int4(-1);

const HALF = 2 ** 32;

function int8(value: number | bigint): string {
  const number = Number(value);
  if (Number.isSafeInteger(number)) {
    const high = Math.floor(number / HALF);
    return int4(high) + int4(number - high * HALF);
  }
  const wide = BigInt(value);
  if (BigInt.asIntN(64, wide) !== wide) throw new RangeError(`${value} does not fit into type bigint`);
  return int4(Number(BigInt.asIntN(32, wide >> 32n))) + int4(Number(BigInt.asUintN(32, wide)));
}

function checked(value: number, max: number, type: ColumnType): number {
  if (Number.isInteger(value) && value <= max && value >= -max - 1) return value;
  throw new RangeError(`${value} does not fit into type ${type}`);
}

/** PostgreSQL counts microseconds since 2000. */
const EPOCH_MS = Date.UTC(2000);

function toMicroseconds(time: Date): number | bigint {
  const ms = time.getTime() - EPOCH_MS;
  return Number.isSafeInteger(ms * 1000) ? ms * 1000 : BigInt(ms) * 1000n;
}

/** The version of the form in which JSON is sent. */
const JSON_VERSION = "\u0001";
const TRUE = sized("\u0001");
const FALSE = sized("\u0000");

const WRITERS: { readonly [T in ColumnType]: Writer<ValueOf[T]> } = {
  text: textWriterOf(""),
  jsonb: textWriterOf(JSON_VERSION),
  boolean: writerOf((value) => (value ? TRUE : FALSE)),
  smallint: writerOf((value) => sized(int4(checked(value, 2 ** 15 - 1, "smallint")).slice(2))),
  integer: writerOf((value) => sized(int4(checked(value, 2 ** 31 - 1, "integer")))),
  bigint: writerOf((value) => sized(int8(value))),
  timestamptz: writerOf((value) => sized(int8(toMicroseconds(value)))),
  bytea: writerOf((value) => sized(value.toString("latin1"))),
};
