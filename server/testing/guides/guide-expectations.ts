/** What is wrong with a JSON answer, compared with the one that a guide shows; empty when nothing is. */
export function findJsonFaults(shown: unknown, real: unknown, path = ""): string[] {
  if (typeof shown !== "object" || typeof real !== "object" || shown === null || real === null) {
    return isAlike(shown, real, path)
      ? []
      : [`${path || "/"} is ${JSON.stringify(real)} and not ${JSON.stringify(shown)}`];
  }
  if (Array.isArray(shown) !== Array.isArray(real))
    return [`${path || "/"} is ${Array.isArray(real) ? "a list" : "an object"}`];
  // A guide may show fewer items of a list than there are, and never more.
  const missing = Object.keys(shown).filter((key) => !(key in real));
  const extra = Array.isArray(real) ? [] : Object.keys(real).filter((key) => !(key in shown));
  return [
    ...missing.map((key) => `${path}/${key} is shown and is not there`),
    ...extra.map((key) => `${path}/${key} is there and is not shown`),
    ...Object.entries(shown)
      .filter(([key]) => key in real)
      .flatMap(([key, value]) =>
        findJsonFaults(value, (real as Record<string, unknown>)[key], `${path}/${key}`),
      ),
  ];
}

/** The same value, or another of the same kind where it cannot be the same twice. */
function isAlike(shown: unknown, real: unknown, path: string): boolean {
  if (typeof shown !== typeof real) return false;
  if (shown === real) return true;
  if (typeof shown === "number") return VARYING_NUMBER.test(path);
  if (typeof shown !== "string" || typeof real !== "string") return false;
  if (path.endsWith("/nextCursor")) return shown !== "" && real !== "";
  const kind = kindOf(shown);
  return kind !== undefined && kind === kindOf(real);
}

/** What depends on the orders that came before, or on the machine. */
const VARYING_NUMBER = /\/(balanceAfter|latencyMs|balance\/amount)$/;
const ID = /^(ord|whk|evt|dlv|cod|ent|req|whsec)_[\w+/=…]+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const kindOf = (text: string): string | undefined =>
  ID.exec(text)?.[1] ?? (TIME.test(text) ? "time" : undefined);

/** Text as a guide shows it: `…` stands for anything in a line, and alone in a line for any lines. */
export function toOutputPattern(shown: string): string {
  const lines = shown.trimEnd().split("\n");
  const last = lines.length - 1;
  return lines
    .map((line, index) => {
      if (line.trim() === "…") return index === last ? "[\\s\\S]*?" : "(?:.*\n)*?";
      return line.split("…").map(escapePattern).join(".*?") + (index === last ? "" : "\n");
    })
    .join("");
}

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
