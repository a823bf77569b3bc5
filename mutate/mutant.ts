/** A mistake that a tired engineer could make, and the tests that must notice it. */
export type Mutant = {
  /** Unique, in words joined by hyphens. */
  name: string;
  /** From the root of the repository. */
  file: string;
  /** Occurs exactly once in the file. */
  find: string;
  replace: string;
  /** The files that are run, in this order, until one fails. */
  tests: readonly [string, ...string[]];
  /** What would go wrong. */
  why: string;
  /** The mistake shows as tests that never end, so reaching the time limit counts as noticed. */
  hangs?: true;
  /** Why no test can notice it. It still counts as survived. */
  survives?: string;
};

/** Mutants of one part of the product. */
export type Area = { title: string; mutants: readonly Mutant[] };

/** The text of the mutant's file with the mistake in it. Throws unless the text to replace occurs exactly once. */
export function applyMutant({ name, file, find, replace }: Mutant, text: string): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined)
    throw new Error(`mutant ${name}: its text is not in ${file}`);
  if (more.length > 0) throw new Error(`mutant ${name}: its text occurs ${more.length + 1} times in ${file}`);
  return `${before}${replace}${after}`;
}
