import type { Summary } from "./queries.ts";

/** `role: viewer → support`, each member that is there before or after. */
export function changeText(before: Summary | undefined, after: Summary | undefined): string {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names
    .map((name) => {
      const [old, now] = [valueText(before?.[name]), valueText(after?.[name])];
      return old === undefined || now === undefined ? `${name}: ${old ?? now}` : `${name}: ${old} → ${now}`;
    })
    .join(", ");
}

const valueText = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === "string" ? value : JSON.stringify(value);
