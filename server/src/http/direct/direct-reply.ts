import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "../../lib/problem.ts";
import { KEEP_ALIVE_TIMEOUT_MS } from "../server/limits.ts";
import type { BodyCheck } from "../validate-requests.ts";
import type { DirectRequest } from "./direct-request.ts";
import type { Connection } from "./keep-connections.ts";

/** What hooks and handlers use of a Fastify reply, with the same meaning. */
export type DirectReply = {
  statusCode: number;
  sent: boolean;
  readonly elapsedTime: number;
  readonly routeOptions: { url: string };
  code(status: number): DirectReply;
  type(contentType: string): DirectReply;
  header(name: string, value: string): DirectReply;
  headers(all: Readonly<Record<string, string>>): DirectReply;
  send(body?: string | Buffer): DirectReply;
  getSerializationFunction(status: string): (value: unknown) => string;
};

/** A route as it was declared for Fastify, with what is needed to answer it without. */
export type DirectRoute = {
  url: string;
  onRequest: readonly ((request: DirectRequest, reply: DirectReply) => Promise<void> | undefined)[];
  checkQuery: (query: Record<string, unknown>) => true | { error: Problem };
  checkBody: BodyCheck | undefined;
  handler: (request: DirectRequest, reply: DirectReply) => unknown;
  serializerOf: (status: string) => (value: unknown) => string;
  onResponse: readonly ((request: DirectRequest, reply: DirectReply, done: () => void) => void)[];
};

type State = {
  connection: Connection;
  route: DirectRoute;
  startedAtMs: number;
  names: string[];
  values: string[];
};

export function createReply(connection: Connection, route: DirectRoute, requestId: string): DirectReply {
  const reply: DirectReply & State = Object.create(METHODS);
  reply.statusCode = 200;
  reply.sent = false;
  reply.connection = connection;
  reply.route = route;
  reply.startedAtMs = performance.now();
  reply.names = ["x-request-id", "x-content-type-options"];
  reply.values = [requestId, "nosniff"];
  return reply;
}

/** Shared by all replies, so that a reply costs one object and two lists. */
const METHODS: Omit<DirectReply, "statusCode" | "sent"> & ThisType<DirectReply & State> = {
  get elapsedTime(): number {
    return performance.now() - (this as unknown as State).startedAtMs;
  },
  get routeOptions(): { url: string } {
    return (this as unknown as State).route;
  },
  code(status) {
    this.statusCode = status;
    return this;
  },
  type(contentType) {
    return this.header("content-type", contentType);
  },
  header(name, value) {
    const at = this.names.indexOf(name);
    if (at === -1) {
      this.names.push(name);
      this.values.push(value);
    } else this.values[at] = value;
    return this;
  },
  headers(all) {
    for (const name in all) this.header(name, all[name] as string);
    return this;
  },
  send(body) {
    if (this.sent) throw new Error("the reply was already sent");
    const head = headOf(this, body);
    this.sent = true;
    write(this.connection.socket, head, body);
    return this;
  },
  getSerializationFunction(status) {
    return this.route.serializerOf(status);
  },
};

function headOf(reply: DirectReply & State, body: string | Buffer | undefined): string {
  const { statusCode, names, values } = reply;
  let head = startOf(statusCode);
  for (let index = 0; index < names.length; index += 1) {
    const value = values[index] as string;
    if (!VISIBLE.test(value)) throw new Error(`the header ${names[index]} cannot be sent`);
    head += `${names[index]}: ${value}\r\n`;
  }
  // A reply without content is one about content that the caller has.
  if (statusCode !== NOT_MODIFIED) head += `content-length: ${lengthOf(body)}\r\n`;
  return `${head}date: ${currentDate()}\r\n${reply.connection.isLast() ? LAST : NOT_LAST}`;
}

const NOT_MODIFIED = 304;
const VISIBLE = /^[\x20-\x7e]*$/;
const LAST = "connection: close\r\n\r\n";
const NOT_LAST = `connection: keep-alive\r\nkeep-alive: timeout=${KEEP_ALIVE_TIMEOUT_MS / 1000}\r\n\r\n`;

const startOf = (status: number): string => `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}\r\n`;

function lengthOf(body: string | Buffer | undefined): number {
  if (body === undefined) return 0;
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}

/** A text goes out with its head in one piece. */
function write(socket: Socket, head: string, body: string | Buffer | undefined): void {
  if (!socket.writable) return;
  if (typeof body !== "object") {
    socket.write(body === undefined ? head : head + body);
    return;
  }
  socket.cork();
  socket.write(head, "latin1");
  socket.write(body);
  socket.uncork();
}

let dateText = "";
let dateSecond = 0;

/** The header names whole seconds, so its text is made once a second. */
function currentDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(nowMs).toUTCString();
  }
  return dateText;
}
