// Loaded into the fuzzed server with --import: a connection to anything but this machine fails, whatever a form asked for.
import { Socket } from "node:net";

const LOCAL = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  if (isLocal(args)) return connect.apply(this, args);
  const refused = Object.assign(new Error("connect ENETUNREACH"), { code: "ENETUNREACH" });
  process.nextTick(() => this.destroy(refused));
  return this;
} as typeof Socket.prototype.connect;

/** Node passes its own normalized arguments as one array. */
function isLocal(args: unknown[]): boolean {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  if (typeof first === "string") return true;
  const options =
    typeof first === "object" && first !== null ? (first as Record<string, unknown>) : undefined;
  if (typeof options?.path === "string") return true;
  const host = options ? (options.host ?? "localhost") : typeof second === "string" ? second : "localhost";
  return LOCAL.test(String(host));
}
