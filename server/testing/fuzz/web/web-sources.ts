import type { HostileRequest } from "../hostile-requests.ts";
import type { FormField } from "./web-fields.ts";
import type { WebMemory, WebRoute } from "./web-memory.ts";
import type { WebPeople, WebPerson } from "./web-people.ts";

/** A request of a browser, or of what pretends to be one. */
export type WebRequest = HostileRequest & {
  route: WebRoute;
  person: WebPerson;
  fields: FormField[];
  /** The session, the token or the origin is wrong, so that nothing may be done. */
  mustRefuse: boolean;
  /** The request is as a page would make it. */
  isWhole: boolean;
  /** Ids of another team in it, which may come back to the one who typed them. */
  typed: string[];
};

export type WebSources = { people: WebPeople; memory: WebMemory; receiverUrl: string };
