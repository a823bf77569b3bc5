import { newCookie } from "../../../src/accounts/sessions/session-id.ts";
import { FORM_ID_FIELD, TOKEN_FIELD } from "../../../src/web/form/hidden-fields.ts";
import type { Random } from "../../seed.ts";
import { ODD_QUERIES, ODD_SEGMENTS } from "../hostile-requests.ts";
import { encodeForm } from "./web-fields.ts";
import { COOKIES, type WebPerson } from "./web-people.ts";
import type { WebRequest, WebSources } from "./web-sources.ts";

type Spoiling = { sources: WebSources; stranger: WebPerson; random: Random };
type Spoil = (request: WebRequest, spoiling: Spoiling) => void;

/** Adds one or two faults. A form is encoded again afterwards. */
export function spoilWeb(
  sources: WebSources,
  request: WebRequest,
  stranger: WebPerson,
  random: Random,
): void {
  request.isWhole = false;
  const spoiling = { sources, stranger, random };
  for (let times = 1 + random.below(2); times > 0; times -= 1) {
    const isForm = request.method === "POST" && request.body !== undefined;
    const spoils = isForm && random.chance(0.75) ? FIELD_SPOILS : REQUEST_SPOILS;
    const name = random.pick(Object.keys(spoils));
    request.faults.push(name);
    spoils[name]?.(request, spoiling);
  }
}

const encodeAgain = (request: WebRequest, asMultipart = isMultipart(request)): void => {
  const { body, contentType } = encodeForm(request.fields, asMultipart);
  request.body = body;
  setHeader(request, "Content-Type", contentType);
};

const isMultipart = ({ headers }: WebRequest): boolean =>
  headers.some(([name, value]) => name === "Content-Type" && value.startsWith("multipart"));

const FIELD_SPOILS: Readonly<Record<string, Spoil>> = {
  "a hostile value"(request, { random }) {
    const field = pickField(request, random);
    if (field) field.value = random.pick(HOSTILE_TEXTS);
    encodeAgain(request);
  },
  "a field twice"(request, { random }) {
    const field = pickField(request, random);
    if (field) request.fields.push({ ...field, value: random.pick([field.value, ...HOSTILE_TEXTS]) });
    encodeAgain(request);
  },
  "a field less"(request, { random }) {
    const field = pickField(request, random);
    request.fields = request.fields.filter((each) => each !== field);
    encodeAgain(request);
  },
  "a field more"(request, { random, sources }) {
    const name = random.pick(sources.memory.fieldNames());
    const value = random.pick(HOSTILE_TEXTS);
    // A second token makes the form unreadable as one of the session.
    if (name === TOKEN_FIELD) request.mustRefuse ||= isGuarded(request);
    request.fields.push({ name, value });
    encodeAgain(request);
  },
  "an id of another team"(request, { random, sources, stranger }) {
    const field = pickField(request, random);
    const route = random.pick(sources.memory.routes[stranger.face].filter(({ path }) => path.includes(":")));
    const address = sources.memory.addressOf(random, stranger.team, route);
    const id = /[a-z]{3}_[0-9a-z]{26}/.exec(address)?.[0] ?? "missing";
    if (field) field.value = id;
    request.typed.push(id);
    encodeAgain(request);
  },
  "no token"(request) {
    request.fields = request.fields.filter(({ name }) => name !== TOKEN_FIELD);
    request.mustRefuse ||= isGuarded(request);
    encodeAgain(request);
  },
  "a wrong token"(request, { random }) {
    request.fields = request.fields.filter(({ name }) => name !== TOKEN_FIELD);
    const value = random.pick(["", "x", "A".repeat(86), newCookie(), request.person.cookie]);
    request.fields.push({ name: TOKEN_FIELD, value });
    request.mustRefuse ||= isGuarded(request);
    encodeAgain(request);
  },
  "a strange form id"(request, { random }) {
    request.fields = request.fields.filter(({ name }) => name !== FORM_ID_FIELD);
    const value = random.pick(["", "twice-twice-twice-twi0", "x".repeat(500), "\u0000"]);
    request.fields.push({ name: FORM_ID_FIELD, value });
    encodeAgain(request);
  },
  "many fields"(request, { random }) {
    const count = random.pick([100, 499, 600]);
    for (let index = 0; index < count; index += 1) request.fields.push({ name: `f${index}`, value: "1" });
    encodeAgain(request);
  },
  "a huge value"(request, { random }) {
    const field = pickField(request, random);
    if (field) field.value = random.pick(["n", "é", "😀"]).repeat(random.pick([2_000, 30_000, 70_000]));
    encodeAgain(request);
  },
  "files where text belongs": (request) => encodeAgain(request, true),
  "text where files belong": (request) => encodeAgain(request, false),
  "odd bytes"(request, { random }) {
    const odd = Buffer.from(random.pick(ODD_BODIES), "latin1");
    request.body = random.chance(0.5) ? odd : Buffer.concat([request.body ?? odd, odd]);
  },
};

const REQUEST_SPOILS: Readonly<Record<string, Spoil>> = {
  "a broken cookie"(request, { random }) {
    const other = request.person.face === "console" ? "dashboard" : "console";
    const { cookie, face } = request.person;
    const name = COOKIES[face];
    const value = random.pick([
      "",
      `${name}=`,
      `${name}=${newCookie()}`,
      `${name}=${cookie.slice(1)}`,
      `${name}=${cookie}; ${name}=${newCookie()}`,
      `${COOKIES[other]}=${cookie}`,
      `${name}="${"x".repeat(4_000)}"`,
      `__Host-${name}=${cookie}`,
      ";=;=;;",
      `${name}=${cookie}\u00ff`,
    ]);
    setHeader(request, "Cookie", value);
    request.mustRefuse ||= isGuarded(request);
  },
  "another origin"(request, { random }) {
    const wrong = random.pick([
      "https://evil.example",
      "null",
      "http://localhost.evil.example",
      "https://localhost",
      "",
    ]);
    setHeader(request, "Origin", wrong);
    request.mustRefuse ||= request.method === "POST";
  },
  "another site"(request, { random }) {
    setHeader(request, "Sec-Fetch-Site", random.pick(["cross-site", "same-site", "none", "x"]));
    request.mustRefuse ||= request.method === "POST";
  },
  "no origin"(request) {
    setHeader(request, "Origin", undefined);
    setHeader(request, "Sec-Fetch-Site", undefined);
    request.mustRefuse ||= request.method === "POST";
  },
  "another type"(request, { random }) {
    setHeader(request, "Content-Type", random.pick(ODD_TYPES));
  },
  "another method"(request, { random }) {
    request.method = random.pick(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]);
    request.mustRefuse = false;
  },
  "an odd query"(request, { random }) {
    const odd = random.pick([...ODD_QUERIES, ...WEB_QUERIES]);
    request.target += (request.target.includes("?") ? "&" : "?") + odd.replaceAll("PLANTED", "x");
  },
  "an odd part of the path"(request, { random }) {
    const segment = random.pick(ODD_SEGMENTS);
    request.target = request.route.path.includes(":")
      ? request.route.path.replaceAll(/:\w+/g, () => segment)
      : `${request.route.path}/${segment}`;
  },
  "while it is filled in"(request, { random }) {
    request.headers.push(["X-Up-Validate", random.pick(["name", "url email", "", "x ".repeat(900)])]);
  },
  "asks for less"(request, { random }) {
    request.headers.push(
      random.pick([
        ["Accept", "application/json"],
        ["X-Up-Target", "main"],
        ["Range", "bytes=0-9"],
      ]),
    );
  },
};

/** Without its session such a form does nothing. */
const isGuarded = ({ method, route }: WebRequest): boolean => method === "POST" && route.roles !== "public";

const pickField = ({ fields }: WebRequest, random: Random) => {
  const own = fields.filter(({ name }) => name !== TOKEN_FIELD);
  return own.length > 0 ? random.pick(own) : undefined;
};

function setHeader(request: WebRequest, name: string, value: string | undefined): void {
  request.headers = request.headers.filter(([other]) => other !== name);
  if (value !== undefined) request.headers.push([name, value]);
}

/** As markup it would load an image, which the judge looks for. */
export const MARKUP = `"><img src=x onerror=alert(1)>`;

const HOSTILE_TEXTS = [
  "",
  " ",
  "0",
  "-1",
  "1e999",
  "99999999999999999999",
  "0.0000001",
  "NaN",
  "true",
  "null",
  MARKUP,
  "</script><script>alert(1)</script>",
  "{{7*7}}",
  "'; drop table orders; --",
  "a\u0000b",
  "a\u0007\u001b[2J\u202eb\u2028c",
  "\ud800",
  "\ufeff",
  "😀".repeat(64),
  "n".repeat(1_000),
  "../../etc/passwd",
  "//evil.example",
  "/\\evil.example",
  "https://evil.example",
  "https://127.0.0.1:1/",
  "https://169.254.169.254/",
  "javascript:alert(1)",
  "2026-02-30",
  "9999-12-31",
  "0000-00-00",
  "+275760-09-13",
  "1,5",
  "USD",
  "owner",
  "admin",
  "live",
  "__proto__",
  "a@b",
  "=cmd|' /C calc'!A0",
].map((text) => text.toWellFormed());

const WEB_QUERIES = [
  "env=live",
  "env=x",
  "back=//evil.example",
  "back=https://evil.example",
  "cursor=x",
  "q=%00",
  `q=${"a".repeat(300)}`,
  "from=2026-02-30",
  "to=x",
  "month=2026-13",
  "token=x",
  "status=x&status=y",
];

const ODD_BODIES = [
  "%",
  "%zz=1",
  "a=%ff",
  "a=%00",
  "a=%ed%a0%80",
  "=",
  "&&&&",
  "a[b]=1",
  "\u00ff\u00fe",
  "{}",
  "--x",
  `${"a=1&".repeat(600)}`,
];

const ODD_TYPES = [
  "application/json",
  "text/plain",
  "multipart/form-data",
  "multipart/form-data; boundary=",
  `multipart/form-data; boundary=${"x".repeat(300)}`,
  "application/x-www-form-urlencoded; charset=utf-7",
  "application/x-www-form-urlencoded;",
  "",
  "x",
];
