/** One fenced block of a guide, with what its info-string says of it. */
export type GuideBlock = {
  /** Where its fence stands in the file, from 1. */
  line: number;
  language: "sh" | "js" | "ts" | "json" | "text";
  code: string;
  /** It is a file for the reader to write, and is not run by itself. */
  file: string | undefined;
  /** It goes on running, in a terminal of its own. */
  terminal: string | undefined;
  /** What it shows takes a moment to come true: a reader would look again. */
  eventually: boolean;
  /** It is run in the checkout and not in the reader's folder. */
  inCheckout: boolean;
  /** A text block: what the block before it prints, "" for that block, else the name of a terminal. */
  output: string | undefined;
};

const LANGUAGES: ReadonlySet<string> = new Set(["sh", "js", "ts", "json", "text"]);
const FENCE = /^```(.*)\n([\s\S]*?)^```$/gm;

/** The blocks in their order. A block that nobody would know how to run or check is an error. */
export function readGuideBlocks(markdown: string): GuideBlock[] {
  const blocks = [...markdown.matchAll(FENCE)].map((match) =>
    toBlock(match[1] ?? "", match[2] ?? "", lineAt(markdown, match.index)),
  );
  const fences = [...markdown.matchAll(/^ *(```|~~~)/gm)].length;
  if (fences !== 2 * blocks.length) throw new Error("a fence is not closed, is indented or has tildes");
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
  if (values.size > 0) throw new Error(`line ${line}: nobody knows ${[...values.keys()].join(", ")}`);
  return block;
}

function toAttribute(text: string): [name: string, value: string] {
  const [name = "", value = ""] = text.split("=");
  return [name, value];
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length;
