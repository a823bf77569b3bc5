import { readFile } from "node:fs/promises";

export type Guide = { name: string; title: string; summary: string; markdown: string };

/** In reading order for a newcomer. */
export const GUIDE_NAMES = [
  "quickstart",
  "catalog",
  "orders",
  "webhooks",
  "deposits",
  "sandbox",
  "errors",
  "going-live",
] as const;

/** For the operator. The console shows it to the staff; it is not on the public port. */
export const OPERATOR_GUIDE_NAME = "operator";

/** All that is for the operator only. `bin/suppliers-guide.test.ts` and `bin/pricing-guide.test.ts` run the last two. */
export const OPERATOR_GUIDES = [OPERATOR_GUIDE_NAME, "suppliers", "pricing"] as const;

/** The folder of the guides in a checkout. */
export const GUIDES_FOLDER = new URL("../../../../docs/guides/", import.meta.url);

/** The server URL written in the files, so that a file can also be followed as it is. */
export const WRITTEN_BASE_URL = "http://localhost:8080";

/** Reads all guides, with this server's URL in their commands. */
export const readGuides = (baseUrl: string): Promise<Guide[]> =>
  Promise.all(
    GUIDE_NAMES.map(async (name) => {
      const written = await readFile(new URL(`${name}.md`, GUIDES_FOLDER), "utf8");
      const markdown = written.replaceAll(WRITTEN_BASE_URL, () => baseUrl);
      return { name, ...titleAndSummary(markdown), markdown };
    }),
  );

/** A guide starts with its title and a summary paragraph. */
function titleAndSummary(markdown: string): { title: string; summary: string } {
  const [, title, summary] = /^# (.+)\n\n((?:[^\n]+\n)+)/.exec(markdown) ?? [];
  if (title === undefined || summary === undefined)
    throw new Error("a guide must start with a title and a paragraph");
  return { title, summary: summary.trim().replaceAll("\n", " ") };
}
