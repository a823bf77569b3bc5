import type { MarkedExtension, Tokens } from "marked";
import { escapeHtml } from "../template/escape-html.ts";
import { type Html, trustedHtml } from "../template/html.ts";
import { highlightCode } from "./highlight-code.ts";

/** Converts a guide's Markdown to HTML. HTML inside the Markdown is escaped. */
export async function createGuideRenderer(): Promise<(markdown: string) => string> {
  const { Marked } = await import("marked");
  const marked = new Marked({ gfm: true, async: false, renderer });
  return (markdown) =>
    (marked.parse(markdown) as string)
      .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
      .replaceAll("</table>", "</table></div>");
}

/** A guide of ours as a part of another page. */
export const renderGuide = async (markdown: string): Promise<Html> =>
  trustedHtml((await createGuideRenderer())(markdown));

const renderer: NonNullable<MarkedExtension["renderer"]> = {
  code: ({ text, lang = "" }: Tokens.Code) => renderCode(text, lang),
  heading({ tokens, depth, text }: Tokens.Heading) {
    const inner = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1>${inner}</h1>\n`;
    const id = slugOf(text);
    return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`;
  },
  link({ href, tokens }: Tokens.Link) {
    return `<a href="${escapeHtml(toPageAddress(href))}">${this.parser.parseInline(tokens)}</a>`;
  },
  html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
};

/** The caption of a block: the file to write, where to run it, or that it is the output of the previous block. */
function renderCode(code: string, info: string): string {
  const [language = "", ...attributes] = info.split(" ");
  const caption = attributes.map(captionOf).find((text) => text !== undefined);
  const isAnswer = language === "json" || attributes.some((attribute) => attribute.startsWith("output"));
  return [
    `<figure${isAnswer ? ' class="answer"' : ""}>`,
    caption === undefined ? "" : `<figcaption>${escapeHtml(caption)}</figcaption>`,
    // Keyboard focus lets people without a pointer scroll a wide block.
    `<pre tabindex="0"><code>${highlightCode(language, code)}</code></pre></figure>\n`,
  ].join("");
}

function captionOf(attribute: string): string | undefined {
  const [name, value = ""] = attribute.split("=");
  if (name === "file") return value;
  if (name === "output") return "prints";
  if (name === "terminal") return "in a separate terminal";
  return undefined;
}

export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "");

/** In a checkout, the guides link to each other's files. */
const toPageAddress = (href: string): string => href.replace(/^([a-z-]+)\.md(?=#|$)/, "/docs/guides/$1");
