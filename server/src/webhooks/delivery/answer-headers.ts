/** How much of an answer's headers is kept. `delivery_attempts_headers` in the schema has the same maximum. */
const HEADERS_MAX = 24;
const VALUE_MAX_CHARACTERS = 256;
const TOTAL_MAX_CHARACTERS = 2_048;

/** Names of headers that may carry what lets someone in. The receiver did not mean them for a log. */
const MAY_HOLD_SECRET = /cookie|auth|token|secret|key|session|password|signature/i;
const UNPRINTABLE = /[^\x20-\x7e]/g;

/**
 * The headers of an answer as they are kept, one on each line: "name: value". Headers that may hold a secret are named without
 * their value. Null if there is none.
 */
export function keepAnswerHeaders(rawHeaders: readonly string[]): string | null {
  let kept = "";
  for (let index = 0; index + 1 < rawHeaders.length && index < HEADERS_MAX * 2; index += 2) {
    const name = clean(rawHeaders[index] ?? "").toLowerCase();
    const value = MAY_HOLD_SECRET.test(name) ? "(not kept)" : clean(rawHeaders[index + 1] ?? "");
    const line = `${name}: ${value}`;
    if (kept.length + line.length + 1 > TOTAL_MAX_CHARACTERS) break;
    kept += kept === "" ? line : `\n${line}`;
  }
  return kept === "" ? null : kept;
}

/** Bytes outside of printable ASCII become question marks, so that no header can look like two. */
const clean = (text: string): string => text.slice(0, VALUE_MAX_CHARACTERS).replaceAll(UNPRINTABLE, "?");
