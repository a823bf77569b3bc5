import { readFile } from "node:fs/promises";

export type Guide = { name: string; title: string; summary: string; markdown: string };

/** In the order in which somebody new would read them. */
export const GUIDE_NAMES = ["quickstart", "orders", "webhooks", "sandbox", "errors", "going-live"] as const;

/** Where they lie in a checkout. */
export const GUIDES_FOLDER = new URL("../../../docs/guides/", import.meta.url);

/** What stands in the files for the address of the server, so that a file can be followed as it is, too. */
export const WRITTEN_BASE_URL = "http://localhost:8080";

/** All guides, with this server's own address in their commands. */
export const readGuides = (baseUrl: string): Promise<Guide[]> =>
  Promise.all(
    GUIDE_NAMES.map(async (name) => {
      const written = await readFile(new URL(`${name}.md`, GUIDES_FOLDER), "utf8");
      const markdown = written.replaceAll(WRITTEN_BASE_URL, () => baseUrl);
      return { name, ...titleAndSummary(markdown), markdown };
    }),
  );

/** A guide begins with its title and a paragraph that says what it is about. */
function titleAndSummary(markdown: string): { title: string; summary: string } {
  const [, title, summary] = /^# (.+)\n\n((?:[^\n]+\n)+)/.exec(markdown) ?? [];
  if (title === undefined || summary === undefined)
    throw new Error("a guide does not begin with a title and a paragraph");
  return { title, summary: summary.trim().replaceAll("\n", " ") };
}
