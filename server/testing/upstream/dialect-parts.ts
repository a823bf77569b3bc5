import type { Reply } from "./upstream-dialect.ts";
import type { ErrorMishap } from "./upstream-steps.ts";

export const json = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  text: typeof body === "string" ? body : JSON.stringify(body),
});

/** JSON as text, with numbers written as given: suppliers send 0.80, not 0.8. */
export const money = (minor: number): string => `__${(minor / 100).toFixed(2)}__`;
export const withMoney = (text: string): string => text.replace(/"__(\d+\.\d+)__"/g, "$1");

const STATUSES: Readonly<Record<ErrorMishap, number>> = {
  internal_error: 500,
  service_unavailable: 503,
  rate_limited: 429,
  unauthorized: 401,
  busy: 429,
};

/** The status and headers of an error. Its body is the dialect's. */
export const errorReply = (mishap: ErrorMishap, body: unknown): Reply =>
  json(STATUSES[mishap], body, mishap === "rate_limited" ? { "retry-after": "0" } : {});

/**
 * A body without one of the members that a reader needs, under another name, null, or as something else. `needed` are paths
 * such as "status.class.id".
 */
export function withoutNeeded(reply: Reply, needed: readonly string[], variant: number): Reply {
  const whole: readonly unknown[] = [null, {}, [], "ok", 42];
  if (variant % 3 === 0)
    return { ...reply, text: JSON.stringify(whole[(variant / 3) % whole.length] ?? null) };
  const path = (needed[variant % needed.length] ?? "").split(".");
  const body: unknown = JSON.parse(reply.text);
  const root = Array.isArray(body) ? body[0] : body;
  const target = path.slice(0, -1).reduce<unknown>((at, key) => member(at, key), root);
  const last = path.at(-1) ?? "";
  if (typeof target === "object" && target !== null && last in target) {
    const members = target as Record<string, unknown>;
    if (variant % 3 === 1) members[`${last}_v2`] = members[last];
    if (variant % 3 === 2 && variant % 2 === 0) members[last] = { value: "renamed" };
    else delete members[last];
  }
  return { ...reply, text: JSON.stringify(body) };
}

function member(at: unknown, key: string): unknown {
  const value = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  return Array.isArray(value) ? value[0] : value;
}

/** Another text in the place of one member. */
export const changeText = (reply: Reply, from: RegExp, to: string): Reply => ({
  ...reply,
  text: reply.text.replace(from, to),
});

export const isBasic = (authorization: string | undefined, user: string, password: string): boolean =>
  authorization === `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** The part of a list that an address asks for: `page` from 1, and the name that the supplier has for its size. */
export function pageOf<Item>({ searchParams }: URL, sizeName: string, items: readonly Item[]): Item[] {
  const size = Number(searchParams.get(sizeName) ?? items.length);
  const start = (Number(searchParams.get("page") ?? 1) - 1) * size;
  return items.slice(start, start + size);
}
