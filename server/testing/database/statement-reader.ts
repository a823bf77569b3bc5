/** A complete message of PostgreSQL's protocol, and the text of the statement that it runs, if any. */
export type FrontendMessage = { bytes: Buffer; statement: string | undefined };

const PROTOCOL_MAJOR = 3;
const LENGTH_BYTES = 4;
const TYPE_BYTES = 1;

/** Splits what a client sends to PostgreSQL into messages and identifies the statement that each runs. */
export function createStatementReader(): (chunk: Buffer) => FrontendMessage[] {
  const prepared = new Map<string, string>();
  let rest: Buffer = Buffer.alloc(0);
  let hasStarted = false;

  const next = (): FrontendMessage | undefined => {
    // The first message has no type.
    const typeBytes = hasStarted ? TYPE_BYTES : 0;
    if (rest.length < typeBytes + LENGTH_BYTES) return undefined;
    const end = typeBytes + rest.readInt32BE(typeBytes);
    if (rest.length < end) return undefined;
    const bytes = rest.subarray(0, end);
    rest = rest.subarray(end);
    if (hasStarted) return { bytes, statement: statementOf(bytes, prepared) };
    // A request for encryption can precede it, and is answered by a single byte.
    hasStarted = bytes.readInt32BE(LENGTH_BYTES) >>> 16 === PROTOCOL_MAJOR;
    return { bytes, statement: undefined };
  };

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const messages: FrontendMessage[] = [];
    for (let message = next(); message; message = next()) messages.push(message);
    return messages;
  };
}

/**
 * The simple protocol sends the text itself. The extended protocol prepares it under a name and later binds that
 * name.
 */
function statementOf(bytes: Buffer, prepared: Map<string, string>): string | undefined {
  const type = String.fromCharCode(bytes[0] ?? 0);
  const [first = "", second = ""] = bytes.toString("utf8", TYPE_BYTES + LENGTH_BYTES).split("\0", 2);
  if (type === "Q") return first;
  if (type === "P") prepared.set(first, second);
  return type === "B" ? prepared.get(second) : undefined;
}
