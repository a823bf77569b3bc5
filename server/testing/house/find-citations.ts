/** The parts of a document that a comment can cite: for spec.md the headings, for contract.md each section's labels. */
export type Citable = {
  headings: readonly string[];
  sections: ReadonlyMap<number, { labels: readonly string[]; text: string }>;
};

/** Reads what can be cited from docs/spec.md and docs/contract.md. */
export function readCitable(spec: string, contract: string): Citable {
  const sections = contract.split(/^## /m).flatMap((text) => {
    const number = /^(\d+)\. /.exec(text)?.[1];
    return number === undefined ? [] : [[Number(number), { labels: labelsOf(text), text }] as const];
  });
  const headings = [...spec.matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = ""]) => heading);
  return { headings, sections: new Map(sections) };
}

/** The citations in a file that point at nothing, each with the words that follow it. */
export function findWrongCitations(file: string, { headings, sections }: Citable): string[] {
  const text = joinLines(file);
  const wrong: string[] = [];
  for (const { 0: citation, 1: number, index } of text.matchAll(/\bCONTRACT(?: (\d+))?(?!\w)/g)) {
    const section = sections.get(Number(number));
    const rest = text.slice(index + citation.length);
    if (!section || !labelExists(rest, section.labels, section.text)) wrong.push(citation + shown(rest));
  }
  for (const { 0: citation, 1: extension, index } of text.matchAll(/\bSPEC(\.md)?(?!\w)/g)) {
    const rest = text.slice(index + citation.length);
    if (!extension || !labelExists(rest, headings, "")) wrong.push(citation + shown(rest));
  }
  return wrong;
}

/** How many citations a file has, right or wrong. */
export const countCitations = (file: string): number =>
  [...joinLines(file).matchAll(/\b(?:CONTRACT \d+|SPEC\.md)/g)].length;

/** A citation can run over the end of a line of a comment. */
const joinLines = (file: string): string => file.replaceAll(/\n\s*(?:\*|\/\/|--)?[ \t]*/g, " ");

/** Table rows, list items and paragraphs that begin with a name, such as `| Paging |` or `Files.` */
const labelsOf = (section: string): string[] =>
  [...section.matchAll(/^(?:\| |- |### )?([A-Z][a-z]+(?: [a-z]+)*)(?=[ |.:]|$)/gm)].map(
    ([, label = ""]) => label,
  );

/** After "CONTRACT 1, " a capital or a backtick names a part; any other word goes on with the sentence. */
function labelExists(rest: string, labels: readonly string[], text: string): boolean {
  const name = /^, (`[^`]+`|[A-Z].*)/s.exec(rest)?.[1];
  if (name === undefined) return true;
  if (name.startsWith("`")) return text.includes(name);
  return labels.some((label) => name.startsWith(label) && !/^\w/.test(name.slice(label.length)));
}

const shown = (rest: string): string => rest.slice(0, 40);
