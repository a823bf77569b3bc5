import { escapeHtml } from "../template/escape-html.ts";

/**
 * Highlights comments, strings and keywords of code as HTML. It knows the few languages of the guides and tokenizes
 * them roughly; a mistake only affects colors.
 */
export function highlightCode(language: string, code: string): string {
  const parts = PARTS[language];
  if (!parts) return escapeHtml(code);
  let html = "";
  let shownTo = 0;
  for (const match of code.matchAll(parts)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    html += `${escapeHtml(code.slice(shownTo, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    shownTo = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(shownTo));
}

const JAVASCRIPT =
  /(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|(?<word>\b(?:import|from|export|const|let|function|async|await|return|if|else|for|of|while|switch|case|default|new|try|catch|finally|throw|instanceof|type|true|false|null|undefined)\b)|(?<number>\b\d[\d_]*\b)/g;

/** The tokens of each language. Group names are classes in guide-page's style. */
const PARTS: Readonly<Record<string, RegExp>> = {
  sh: /(?<comment>(?<=^|\s)#.*)|(?<string>"(?:\\.|[^"\\])*"|'[^']*')|(?<number>\$\w+)|(?<word>(?<=^|\n)(?:export )?\w+(?==)|\b(?:until|do|done|while|for|if|then|fi)\b)/g,
  js: JAVASCRIPT,
  ts: JAVASCRIPT,
  json: /(?<word>"(?:\\.|[^"\\\n])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\\n])*")|(?<number>-?\b\d[\d.]*\b|\b(?:true|false|null)\b)/g,
};
