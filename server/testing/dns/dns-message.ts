export type RecordType = "A" | "AAAA" | "CNAME";
export type Question = { name: string; type: RecordType };
/** `name` is whose record it is; the name of the question unless it is given. */
export type Record = { type: RecordType; value: string; ttl?: number; name?: string };

/** What a name server says to one question. */
export type Say = {
  records?: readonly Record[];
  /** `SERVFAIL` or `NXDOMAIN` instead of records. */
  failure?: "servfail" | "nxdomain";
  /** Over UDP: no records, and the request to ask again over TCP. */
  truncated?: boolean;
  afterMs?: number;
  /** Bytes that are no answer. */
  junk?: boolean;
};

const TYPES: { readonly [Type in RecordType]: number } = { A: 1, CNAME: 5, AAAA: 28 };
const HEADER_BYTES = 12;
const CODES = { servfail: 2, nxdomain: 3 };
const IS_ANSWER = 0x8180;
const IS_TRUNCATED = 0x0200;

/** The question of a query. Undefined for types that nobody here asks for. */
export function readQuestion(query: Buffer): Question | undefined {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const number = query.readUInt16BE(at + 1);
  const type = (Object.keys(TYPES) as RecordType[]).find((each) => TYPES[each] === number);
  return type && { name: labels.join(".").toLowerCase(), type };
}

/** The answer to a query, with the same id and question. */
export function encodeAnswer(query: Buffer, question: Question, say: Say): Buffer {
  const records = say.truncated === true ? [] : (say.records ?? []);
  const questionBytes = Buffer.concat([encodeName(question.name), numbers(TYPES[question.type], 1)]);
  const flags =
    IS_ANSWER |
    (say.truncated === true ? IS_TRUNCATED : 0) |
    (say.failure === undefined ? 0 : CODES[say.failure]);
  return Buffer.concat([
    query.subarray(0, 2),
    numbers(flags, 1, records.length, 0, 0),
    questionBytes,
    ...records.map((record) => encodeRecord(record, question)),
  ]);
}

function encodeRecord({ type, value, ttl = 0, name }: Record, question: Question): Buffer {
  const data = type === "CNAME" ? encodeName(value) : type === "A" ? v4Bytes(value) : v6Bytes(value);
  return Buffer.concat([
    encodeName(name ?? question.name),
    numbers(TYPES[type], 1, 0, ttl, data.length),
    data,
  ]);
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split(".").map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);

const numbers = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
};

const v4Bytes = (address: string): Buffer => Buffer.from(address.split(".").map(Number));

function v6Bytes(address: string): Buffer {
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail)];
  const middle = new Array<string>(8 - before.length - after.length).fill("0");
  return numbers(...[...before, ...middle, ...after].map((group) => Number.parseInt(group, 16)));
}
