import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SaxesParser } from "saxes";
import { SEED } from "../../../testing/seed.ts";
import { readXml, type XmlElement } from "./read-xml.ts";

const RUNS = 1_500;

type Tree = { name: string; attributes: Record<string, string>; text: string; children: Tree[] };
type Read = { tree: Tree } | { refused: string };

/** We keep no white space between elements. Names are compared without their prefix, as we read them. */
const squeezed = (text: string): string => text.replaceAll(/\s/g, "");
const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

const treeOf = ({ name, attributes, text, children }: XmlElement): Tree => ({
  name,
  attributes: { ...attributes },
  text: squeezed(text),
  children: children.map(treeOf),
});

function readWithOurs(text: string): Read {
  try {
    return { tree: treeOf(readXml(text, "none is taken", () => {})) };
  } catch (error) {
    assert.ok(error instanceof RangeError, String(error));
    return { refused: error.message.replace("the file is not readable XML: ", "") };
  }
}

function readWithSaxes(text: string): Read {
  const parser = new SaxesParser();
  const open: Tree[] = [];
  const faults: string[] = [];
  let root: Tree | undefined;
  parser.on("error", ({ message }) => void faults.push(message.replace(/^[\d:]+ /, "")));
  parser.on("opentag", ({ name, attributes }) => {
    const element = { name: localName(name), attributes: { ...attributes }, text: "", children: [] };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  const addText = (part: string): void => {
    const element = open.at(-1);
    if (element) element.text += squeezed(part);
  };
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.write(text).close();
  const [fault] = faults;
  return fault === undefined && root ? { tree: root } : { refused: fault ?? "no root" };
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&#62;").replaceAll('"', "&#x22;");
const name = fc.constantFrom("Ntry", "Amt", "c:Amt", "Ccy", "x-1", "_y.z");
const word = fc.constantFrom("", "10.50", "Ana & Co", "<voice>", "ÄÖ €", "日本", "a\"b'c", "😀", "]]", "--");
const text = word.chain((one) =>
  fc.constantFrom(
    escaped(one),
    `<![CDATA[${one}]]>`,
    `<!-- ${one.replaceAll("-", "")} -->${escaped(one)}`,
    `\n  ${escaped(one)}`,
  ),
);
const attributes = fc.dictionary(fc.constantFrom("Ccy", "x:id", "n"), word, { maxKeys: 2 }).map((entries) =>
  Object.entries(entries)
    .map(([key, value]) => ` ${key} = "${escaped(value)}"`)
    .join(""),
);
const { element } = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .tuple(name, attributes, fc.array(fc.oneof({ maxDepth: 4 }, text, tie("element")), { maxLength: 4 }))
    .map(([tag, list, inner]) =>
      inner.length === 0 ? `<${tag}${list} />` : `<${tag}${list}>${inner.join("")}</${tag} >`,
    ),
}));
const document = fc
  .tuple(fc.constantFrom("", '<?xml version="1.0" encoding="UTF-8"?>\n', "<!-- a -->"), element)
  .map((parts) => parts.join(""));

const HOSTILE = [
  '<!DOCTYPE a [<!ENTITY e "x">]>',
  '<!ENTITY e SYSTEM "file:///etc/passwd">',
  "<?php echo 1 ?>",
  "<![CDATA[",
  ..."&e; &#0; &#xD800; &#x110000; &#; &amp & ]]> <!-- --> -- </Amt> <Amt> <Amt < > ' \" = / \u0000 \u0007 \uffff".split(
    " ",
  ),
  "<ä/>",
  "<a:b:c/>",
  ' n="1" n="2"',
];
const hostileDocument = fc
  .tuple(
    document,
    fc.array(fc.tuple(fc.nat(), fc.option(fc.constantFrom(...HOSTILE)), fc.nat(3)), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([whole, changes]) =>
    changes.reduce((one, [at, inserted, removed]) => {
      // By characters: what was decoded from UTF-8 has no half of one.
      const characters = Array.from(one);
      characters.splice(at % (characters.length + 1), removed, inserted ?? "");
      return characters.join("");
    }, whole),
  );

test("what saxes reads, we read the same", () => {
  fc.assert(
    fc.property(document, (one) => {
      const ours = readWithOurs(one);
      assert.ok("tree" in ours, JSON.stringify(ours));
      assert.deepEqual(ours, readWithSaxes(one));
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

/** What we refuse and saxes reads, by the beginning of our reason. */
const STRICTER = [
  "document types and entities are not allowed", // a file could grow while it is read, or reach another one
  "processing instructions are not allowed", // no statement has them
  "its encoding is", // the text is decoded as UTF-8 before
  "a tag is malformed", // names beyond ASCII, and ">" in an attribute: no statement has them
];
/** What saxes refuses and we read, by saxes' reason: faults that cannot change an amount or a reference. */
const LAXER = [
  "disallowed character.", // it stays in the text, as it would in a CSV file
  "malformed comment.", // "--" in a comment, whose text nobody reads
  'the string "]]>" is disallowed in char data.', // it is text for us
  "unexpected close tag.", // <a:Amt> closed by </Amt>: we compare names without their prefix
  /^duplicate attribute: /, // the last one counts
];
/** Of the declaration we read the encoding alone, and saxes does not get it. */
const DECLARATION = /^<\?xml\s[^?>]*\?>/;

test("a hostile document is read the same by both or refused by both, but for the named differences", () => {
  const counts = { read: 0, refused: 0, different: 0 };
  fc.assert(
    fc.property(hostileDocument, (one) => {
      const ours = readWithOurs(one);
      const theirs = readWithSaxes("tree" in ours ? one.replace(DECLARATION, "") : one);
      if ("tree" in ours && "tree" in theirs) {
        assert.deepEqual(ours, theirs);
        counts.read += 1;
      } else if ("tree" in ours && "refused" in theirs) {
        const { refused } = theirs;
        assert.ok(
          LAXER.some((why) => (typeof why === "string" ? why === refused : why.test(refused))),
          refused,
        );
        counts.different += 1;
      } else if ("refused" in ours && "tree" in theirs) {
        const { refused } = ours;
        assert.ok(
          STRICTER.some((why) => refused.startsWith(why)),
          refused,
        );
        counts.different += 1;
      } else counts.refused += 1;
    }),
    { seed: SEED, numRuns: RUNS },
  );
  for (const count of Object.values(counts)) assert.ok(count > 20, JSON.stringify(counts));
});
