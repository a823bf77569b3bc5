/** One fenced block of a guide, with its info string. */
export type GuideBlock = {
  /** The line of its fence, from 1. */
  line: number;
  language: "sh" | "js" | "ts" | "json" | "text";
  code: string;
  /** A file for the reader to write. It is not run by itself. */
  file: string | undefined;
  /** It keeps running in a separate terminal. */
  terminal: string | undefined;
  /** Its output takes a moment to become true, so a reader would try again. */
  eventually: boolean;
  /** It runs in the checkout, not in the reader's folder. */
  inCheckout: boolean;
  /** For a text block: the source of this output. "" is the previous block, otherwise a terminal's name. */
  output: string | undefined;
};

const LANGUAGES: ReadonlySet<string> = new Set(["sh", "js", "ts", "json", "text"]);
const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm;

/** The blocks in order. A block that cannot be run or checked is an error. */
export function readGuideBlocks(markdown: string): GuideBlock[] {
  const blocks = [...markdown.matchAll(FENCE)].map((match) =>
    toBlock(match[1] ?? "", match[2] ?? "", lineAt(markdown, match.index)),
  );
  const fences = [...markdown.matchAll(/^ *(```|~~~)/gm)].length;
  if (fences !== 2 * blocks.length) throw new Error("a fence is unclosed, indented or made of tildes");
  return blocks;
}

function toBlock(info: string, code: string, line: number): GuideBlock {
  const [language = "", ...attributes] = info.split(" ");
  if (!LANGUAGES.has(language)) throw new Error(`line ${line}: a block in ${JSON.stringify(language)}`);
  const values = new Map(attributes.map(toAttribute));
  const take = (name: string): string | undefined => {
    const value = values.get(name);
    values.delete(name);
    return value;
  };
  const block: GuideBlock = {
    line,
    language: language as GuideBlock["language"],
    code,
    file: take("file"),
    terminal: take("terminal"),
    eventually: take("eventually") !== undefined,
    inCheckout: take("in") === "checkout",
    output: take("output"),
  };
  if (values.size > 0) throw new Error(`line ${line}: unknown attribute ${[...values.keys()].join(", ")}`);
  return block;
}

function toAttribute(text: string): [name: string, value: string] {
  const [name = "", value = ""] = text.split("=");
  return [name, value];
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;
