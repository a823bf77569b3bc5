import { isCurrency } from "../lib/currencies.ts";
import { PIVOT, parseRate } from "./fx-rate.ts";

export type ReferenceRate = { base: string; quote: string; rate: string };
export type ReferenceFile = { date: string; rates: ReferenceRate[] };

/** The daily file has 2 KB. Anything this large is something else, such as the file with all days since 1999. */
export const REFERENCE_MAX_BYTES = 64 * 1024;
const RATES_MAX = 200;

/** A document without a document type, entities, processing instructions other than the first, CDATA or nested quotes. */
const TOKEN =
  /\s*(?:<\?xml[^<>]{0,200}\?>|<!--[^<>]{0,2000}-->|<(\/?)([A-Za-z][\w:.-]{0,60})((?:\s+[\w:.-]{1,60}\s*=\s*(?:"[^"<>&]{0,200}"|'[^'<>&]{0,200}'))*)\s*(\/?)>|([^<>&]{1,500}))/y;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/**
 * Reads the daily reference rates of the European Central Bank, in XML: `Cube` elements, one with a `time`, and below it one with
 * `currency` and `rate` for each currency. It is strict: whatever does not look like that file is refused as a whole.
 */
export function readEcbRates(text: string): ReferenceFile {
  if (Buffer.byteLength(text) > REFERENCE_MAX_BYTES)
    throw new RangeError(`the file is larger than ${REFERENCE_MAX_BYTES} bytes; use the daily file`);
  const open: string[] = [];
  let roots = 0;
  let date: string | undefined;
  const rates = new Map<string, string>();
  for (const { closes, name, attributes, isEmpty } of tagsOf(text)) {
    if (closes) {
      if (open.pop() !== name) throw new RangeError(`</${name}> closes nothing`);
      continue;
    }
    if (open.length === 0) roots += 1;
    if (name === "Cube" && attributes.has("time")) {
      if (date !== undefined) throw new RangeError("the file has rates of several days; use the daily file");
      date = checkDate(attributes.get("time") ?? "");
    } else if (name === "Cube" && attributes.has("currency")) {
      if (date === undefined) throw new RangeError("a rate comes before its day");
      addRate(rates, attributes);
    }
    if (!isEmpty) open.push(name);
  }
  if (open.length > 0 || roots !== 1) throw new RangeError("the file is not one complete XML document");
  if (date === undefined || rates.size === 0)
    throw new RangeError(
      "the file has no reference rates: expected Cube elements with time, currency and rate",
    );
  return { date, rates: [...rates].map(([quote, rate]) => ({ base: PIVOT, quote, rate })) };
}

type Tag = { closes: boolean; name: string; attributes: ReadonlyMap<string, string>; isEmpty: boolean };

function* tagsOf(text: string): Generator<Tag> {
  const body = text.replace(/^\uFEFF/, "").trimEnd();
  TOKEN.lastIndex = 0;
  for (let at = 0; at < body.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(body);
    if (!match) throw new RangeError(`the file is not the XML that is expected, at character ${at}`);
    const [, slash, name, given = "", empty] = match;
    if (name === undefined) continue;
    const attributes = new Map<string, string>();
    for (const [, key = "", double, single] of given.matchAll(ATTRIBUTE)) {
      if (attributes.has(key)) throw new RangeError(`the attribute ${key} is there twice`);
      attributes.set(key, double ?? single ?? "");
    }
    yield { closes: slash === "/", name, attributes, isEmpty: empty === "/" };
  }
}

function addRate(rates: Map<string, string>, attributes: ReadonlyMap<string, string>): void {
  const currency = attributes.get("currency") ?? "";
  if (!/^[A-Z]{3}$/.test(currency)) throw new RangeError("a currency of the file is not an ISO 4217 code");
  if (currency === PIVOT || rates.has(currency)) throw new RangeError(`the file has ${currency} twice`);
  const rate = parseRate(attributes.get("rate") ?? "");
  if (rates.size >= RATES_MAX) throw new RangeError(`the file has more than ${RATES_MAX} currencies`);
  // A currency that ISO 4217 has given up is no use to anyone, and no reason to refuse the others.
  if (isCurrency(currency)) rates.set(currency, rate);
}

function checkDate(text: string): string {
  const time = new Date(`${text}T00:00:00Z`);
  if (
    !/^\d{4}-\d{2}-\d{2}$/.test(text) ||
    Number.isNaN(time.getTime()) ||
    !time.toISOString().startsWith(text)
  )
    throw new RangeError(`"${text.slice(0, 20)}" is not a date such as 2030-01-31`);
  return text;
}
