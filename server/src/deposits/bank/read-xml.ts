/** An element with its text and children. Names have no namespace prefix. */
export type XmlElement = {
  name: string;
  attributes: Readonly<Record<string, string>>;
  text: string;
  children: XmlElement[];
};

const DEPTH_MAX = 32;
/** Elements in memory at a time. A batch of 5,000 payments has fewer. */
const ELEMENTS_MAX = 200_000;
const NAME = String.raw`[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?`;
const OPENING = new RegExp(String.raw`^<(${NAME})((?:\s+${NAME}\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>$`);
const CLOSING = new RegExp(String.raw`^</(${NAME})\s*>$`);
const ATTRIBUTE = new RegExp(String.raw`(${NAME})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')`, "g");
const DECLARATION = /^<\?xml\s[^?]*\?>$/;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/**
 * Reads the small part of XML that bank statements use. Document types, entities of their own and processing instructions are
 * refused, so a file can neither grow while it is read nor reach another file. Elements whose name is in `taken` are handed
 * over when they end and are not kept, so memory does not grow with their number. Returns the root.
 */
export function readXml(
  text: string,
  taken: string,
  take: (element: XmlElement, open: readonly XmlElement[]) => void,
): XmlElement {
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  let kept = 0;
  /** How many there were when each open element that will be handed over began. */
  const keptBefore: number[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  const close = (name: string): void => {
    const element = open.pop();
    if (!element || element.name !== name) throw broken(`</${name}> closes nothing`);
    if (element.name === taken) {
      take(element, open);
      kept = keptBefore.pop() ?? kept;
    } else open.at(-1)?.children.push(element);
  };
  while (at < text.length) {
    const start = text.indexOf("<", at);
    addText(open, text.slice(at, start === -1 ? text.length : start));
    if (start === -1) break;
    const [end, cdata] = endOfMarkup(text, start);
    at = end;
    if (cdata !== undefined) addRaw(open, cdata);
    const tag = text.slice(start, end);
    if (cdata !== undefined || tag.startsWith("<!--")) continue;
    if (tag.startsWith("<?")) {
      if (!DECLARATION.test(tag) || root || open.length > 0)
        throw broken("processing instructions are not allowed");
      refuseEncoding(tag);
      continue;
    }
    const closing = CLOSING.exec(tag);
    if (closing) {
      close(localName(closing[1] ?? ""));
      continue;
    }
    const opening = OPENING.exec(tag);
    if (!opening)
      throw broken(
        tag.startsWith("<!") ? "document types and entities are not allowed" : "a tag is malformed",
      );
    const [, name = "", attributes = "", empty = ""] = opening;
    if (open.length === 0 && root) throw broken("there is more than one root element");
    if (open.length >= DEPTH_MAX) throw broken(`elements are nested more than ${DEPTH_MAX} deep`);
    const element = { name: localName(name), attributes: readAttributes(attributes), text: "", children: [] };
    if (element.name === taken) keptBefore.push(kept);
    kept += 1;
    if (kept > ELEMENTS_MAX) throw broken(`it has more than ${ELEMENTS_MAX} elements at one place`);
    root ??= element;
    open.push(element);
    if (empty === "/") close(element.name);
  }
  if (!root || open.length > 0) throw broken("the file ends too early");
  return root;
}

export const broken = (why: string): RangeError => new RangeError(`the file is not readable XML: ${why}`);

/** Where the markup at `start` ends, and its text if it is CDATA. */
function endOfMarkup(text: string, start: number): [number, string | undefined] {
  const endAfter = (mark: string, from: number): number => {
    const end = text.indexOf(mark, from);
    if (end === -1) throw broken("the file ends too early");
    return end + mark.length;
  };
  if (text.startsWith("<!--", start)) return [endAfter("-->", start + 4), undefined];
  if (!text.startsWith("<![CDATA[", start)) return [endAfter(">", start), undefined];
  const end = endAfter("]]>", start + 9);
  return [end, text.slice(start + 9, end - 3)];
}

function addText(open: readonly XmlElement[], raw: string): void {
  if (raw.trim() === "") return;
  if (open.length === 0) throw broken("text outside of the root element");
  addRaw(open, decode(raw));
}

function addRaw(open: readonly XmlElement[], text: string): void {
  const element = open.at(-1);
  if (!element) throw broken("text outside of the root element");
  element.text += text;
}

const readAttributes = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name = "", double, single]) => [
      name,
      decode(double ?? single ?? ""),
    ]),
  );

const decode = (raw: string): string =>
  raw.replaceAll(/&(#x[0-9A-Fa-f]{1,6}|#\d{1,7}|[A-Za-z]{1,8})?;?/g, (whole, name: string | undefined) => {
    const known =
      name !== undefined && whole.endsWith(";") ? (ENTITIES[name] ?? fromNumber(name)) : undefined;
    if (known === undefined) throw broken("an unknown entity");
    return known;
  });

function fromNumber(name: string): string | undefined {
  if (!name.startsWith("#")) return undefined;
  const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  const isText = code === 9 || code === 10 || code === 13 || (code >= 32 && code <= 0x10_ff_ff);
  return isText && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : undefined;
}

function refuseEncoding(declaration: string): void {
  const encoding = /encoding\s*=\s*["']([^"']*)["']/.exec(declaration)?.[1] ?? "UTF-8";
  if (!/^(?:utf-?8|us-ascii)$/i.test(encoding)) throw broken(`its encoding is ${encoding}; save it as UTF-8`);
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);
