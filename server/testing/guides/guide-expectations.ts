/** The differences between a JSON response and the one in a guide. Empty if they match. */
export function findJsonFaults(shown: unknown, real: unknown, path = ""): string[] {
  if (typeof shown !== "object" || typeof real !== "object" || shown === null || real === null) {
    return isAlike(shown, real, path)
      ? []
      : [`${path || "/"} is ${JSON.stringify(real)} and not ${JSON.stringify(shown)}`];
  }
  if (Array.isArray(shown) !== Array.isArray(real))
    return [`${path || "/"} is ${Array.isArray(real) ? "a list" : "an object"}`];
  // A guide can show fewer items of a list than there are, but not more.
  const missing = Object.keys(shown).filter((key) => !(key in real));
  const extra = Array.isArray(real) ? [] : Object.keys(real).filter((key) => !(key in shown));
  return [
    ...missing.map((key) => `${path}/${key} is shown but missing`),
    ...extra.map((key) => `${path}/${key} is missing in the guide`),
    ...Object.entries(shown)
      .filter(([key]) => key in real)
      .flatMap(([key, value]) =>
        findJsonFaults(value, (real as Record<string, unknown>)[key], `${path}/${key}`),
      ),
  ];
}

/** The same value, or another of the same kind if it cannot be the same twice. */
function isAlike(shown: unknown, real: unknown, path: string): boolean {
  if (typeof shown !== typeof real) return false;
  if (shown === real) return true;
  if (typeof shown === "number") return VARYING_NUMBER.test(path);
  if (typeof shown !== "string" || typeof real !== "string") return false;
  if (path.endsWith("/nextCursor")) return shown !== "" && real !== "";
  const kind = kindOf(shown);
  if (kind === undefined) return withoutReferences(shown) === withoutReferences(real);
  return kind === kindOf(real);
}

/** Depends on earlier orders or on the machine. */
const VARYING_NUMBER = /\/(balanceAfter|latencyMs|balance\/amount)$/;
const ID = /^(ord|whk|evt|dlv|cod|ent|req|dep|whsec)_[\w+/=…]+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The reference of a deposit is random, also inside a text. */
const withoutReferences = (text: string): string =>
  text.replaceAll(/\bRF\d\d ?[DT][0-9A-Z]{3} ?[0-9A-Z]{4} ?[0-9A-Z]{4}\b/g, "RF");

const kindOf = (text: string): string | undefined =>
  ID.exec(text)?.[1] ?? (TIME.test(text) ? "time" : undefined);

/** Text as in a guide: `…` matches anything within a line, and alone on a line any lines. */
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
