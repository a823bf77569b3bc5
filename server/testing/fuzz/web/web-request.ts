import { FORM_ID_FIELD, newFormId, TOKEN_FIELD } from "../../../src/web/form/hidden-fields.ts";
import { maskToken } from "../../../src/web/security/form-token.ts";
import type { Random } from "../../seed.ts";
import { encodeForm, goodFields } from "./web-fields.ts";
import type { WebMemory, WebRoute } from "./web-memory.ts";
import { COOKIES, type WebPerson } from "./web-people.ts";
import type { WebRequest, WebSources } from "./web-sources.ts";
import { spoilWeb } from "./web-spoils.ts";

const FORM_SHARE = 0.6;
const GOOD_SHARE = 0.35;
const FOREIGN_SHARE = 0.12;
/** Those who may do most get furthest. */
const TOP_SHARE = 0.4;

/** A page or a form of someone. Two of three have a fault. A plain one is a form without a fault, of those who may do most. */
export function webRequest(sources: WebSources, random: Random, mark: string, isPlain = false): WebRequest {
  const { people, memory } = sources;
  const top = people.everyone.filter(({ role }) => role === "owner" || role === "admin");
  const person = random.pick(random.chance(TOP_SHARE) || isPlain ? top : people.everyone);
  const method = random.chance(FORM_SHARE) || isPlain ? "POST" : "GET";
  const route = random.pick(memory.routes[person.face].filter((each) => each.method === method));
  const stranger = random.pick(people.everyone.filter(({ face }) => face === person.face));
  const team = random.chance(FOREIGN_SHARE) && !isPlain ? stranger.team : person.team;
  const form = method === "POST" ? memory.formOf(random, team, route) : undefined;
  const request = pageRequest(person, route, form?.action ?? memory.addressOf(random, team, route));
  if (form) request.fields = goodFields(random, form, mark, sources.receiverUrl);
  if (team !== person.team) request.typed.push(request.target);
  if (method === "POST") addForm(request, form?.takesFiles === true);
  if (!random.chance(GOOD_SHARE) && !isPlain) spoilWeb(sources, request, stranger, random);
  return request;
}

const pageRequest = (person: WebPerson, route: WebRoute, target: string): WebRequest => ({
  faults: [],
  method: route.method,
  target,
  headers: [
    ["Host", "localhost"],
    ["User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"],
    ["Cookie", `${COOKIES[person.face]}=${person.cookie}`],
  ],
  body: undefined,
  framing: "length",
  cut: false,
  route,
  person,
  fields: [],
  mustRefuse: false,
  isWhole: true,
  typed: [],
});

/** What a browser adds to a form. The form may be a colleague's, so it gets the token of the session that sends it. */
function addForm(request: WebRequest, takesFiles: boolean): void {
  const others = request.fields.filter(({ name }) => name !== TOKEN_FIELD && name !== FORM_ID_FIELD);
  request.fields = [
    { name: TOKEN_FIELD, value: maskToken(request.person.token) },
    { name: FORM_ID_FIELD, value: newFormId() },
    ...others,
  ];
  request.headers.push(["Origin", "http://localhost"], ["Sec-Fetch-Site", "same-origin"]);
  const { body, contentType } = encodeForm(request.fields, takesFiles);
  request.headers.push(["Content-Type", contentType]);
  request.body = body;
}

/** A page as a link leads to it. */
export function crawlRequest(
  memory: WebMemory,
  random: Random,
  person: WebPerson,
  route: WebRoute,
): WebRequest {
  return pageRequest(person, route, memory.addressOf(random, person.team, route));
}
