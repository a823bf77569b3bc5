import type { Letter } from "../mail/queue-letter.ts";

const TITLES_MAX = 20;

/** One letter for all alerts of a round: a night on which everything fails is one letter, and not a thousand. */
export function alertLetter(
  to: string,
  raised: { round: string; titles: readonly string[] },
  consoleUrl: string,
): Letter {
  const { round, titles } = raised;
  const more = titles.length - TITLES_MAX;
  const [first = ""] = titles;
  const text = [
    ...titles.slice(0, TITLES_MAX).map((title) => `- ${title}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "",
    `What to do about each of them: ${consoleUrl}/alerts`,
    "",
    "You get this because you chose to be mailed about alerts. You can change that on the same page.",
  ];
  return {
    cause: `alerts ${round} ${to}`.slice(0, 255),
    to,
    subject: titles.length === 1 ? `Scrip alert: ${first}` : `Scrip: ${titles.length} new alerts`,
    text: `${text.join("\n")}\n`,
  };
}
