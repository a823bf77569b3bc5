import { CONSOLE_MATRIX } from "../../app/console-matrix.ts";
import { MATRIX } from "../../app/dashboard-matrix.ts";
import type { Random } from "../../seed.ts";
import { formsOf, linksOf, type WebForm } from "./web-page.ts";
import type { WebFace, WebPerson } from "./web-people.ts";

/** A page or form of a face, as its table of permissions has it, so that a new one is fuzzed without a line here. */
export type WebRoute = {
  key: string;
  face: WebFace;
  method: string;
  path: string;
  roles: "public" | "all" | readonly string[];
  pattern: RegExp;
};

export type WebMemory = {
  routes: Readonly<Record<WebFace, readonly WebRoute[]>>;
  routeOf(face: WebFace, method: string, target: string): WebRoute | undefined;
  /** Remembers the forms and links of a page. */
  learn(person: WebPerson, page: string): void;
  /** An address of the route: one that the team has seen, or one with made-up ids. */
  addressOf(random: Random, team: string, route: WebRoute): string;
  /** A form of the route that someone of the team has seen. */
  formOf(random: Random, team: string, route: WebRoute): WebForm | undefined;
  /** Every name that a form was seen to have. */
  fieldNames(): readonly string[];
};

const REMEMBERED_MAX = 24;

export function createWebMemory(): WebMemory {
  const routes = { dashboard: routesOf("dashboard", MATRIX), console: routesOf("console", CONSOLE_MATRIX) };
  const addresses = new Map<string, string[]>();
  const forms = new Map<string, WebForm[]>();
  const names = new Set<string>(["__proto__", "constructor", "_token", "_form"]);

  const keep = <Item>(pools: Map<string, Item[]>, key: string, item: Item): void => {
    const pool = pools.get(key) ?? [];
    pools.set(key, pool);
    if (pool.length >= REMEMBERED_MAX) pool.shift();
    pool.push(item);
  };
  const routeOf: WebMemory["routeOf"] = (face, method, target) => {
    const path = target.split("?", 1)[0] ?? "";
    return routes[face].find((route) => route.method === method && route.pattern.test(path));
  };

  return {
    routes,
    routeOf,
    learn(person, page) {
      const { face, team } = person;
      for (const link of linksOf(page)) {
        const route = routeOf(face, "GET", link);
        if (route?.path.includes(":")) keep(addresses, `${team} ${route.key}`, link);
      }
      for (const form of formsOf(page)) {
        const route = routeOf(face, "POST", form.action);
        if (!route) continue;
        keep(forms, `${team} ${route.key}`, form);
        for (const { name } of form.controls) names.add(name);
      }
    },
    addressOf(random, team, { key, path }) {
      const seen = addresses.get(`${team} ${key}`);
      return seen ? random.pick(seen) : path.replaceAll(/:\w+/g, () => random.pick(MADE_UP));
    },
    formOf(random, team, { key }) {
      const seen = forms.get(`${team} ${key}`);
      return seen && random.pick(seen);
    },
    fieldNames: () => [...names],
  };
}

/** The id of nothing. Whoever asks for it may see it again, such as in an address to come back to. */
export const NOBODYS_ID = "ord_00000000000000000000000000";
const MADE_UP = ["missing", "card", NOBODYS_ID, "hold", "refund", "margin", "sales"];

const routesOf = (
  face: WebFace,
  matrix: Readonly<Record<string, { roles: WebRoute["roles"] }>>,
): readonly WebRoute[] =>
  Object.entries(matrix)
    .map(([key, { roles }]) => {
      const [method = "", path = ""] = key.split(" ");
      const source = path.replaceAll(".", "\\.").replaceAll(/:\w+/g, "[^/]+");
      return { key: `${face} ${key}`, face, method, path, roles, pattern: new RegExp(`^${source}$`) };
    })
    // A fixed path before one with an id in the same place, as the router chooses.
    .toSorted((a, b) => a.path.split(":").length - b.path.split(":").length);
