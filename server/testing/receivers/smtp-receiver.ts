import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

export type ReceivedMail = { from: string; to: string[]; data: string };

export type SmtpReceiver = {
  port: number;
  mails: ReceivedMail[];
  /** Every line that a client sent outside of mails. */
  said: string[];
  connections(): number;
  /** How many connections are open now. */
  open(): number;
  /** How it treats clients from now on: serve, refuse recipients, hang up, stay silent, or trickle. */
  mood: "serve" | "refuse" | "hang-up" | "silent" | "trickle";
  close(): Promise<void>;
};

/**
 * A mail server on loopback: enough SMTP to accept a mail, without TLS. It offers AUTH, to detect clients that use
 * it.
 */
export async function startSmtpReceiver(): Promise<SmtpReceiver> {
  const sockets = new Set<Socket>();
  let made = 0;
  const server = createServer((socket) => {
    made += 1;
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    if (receiver.mood === "hang-up") socket.destroy();
    else if (receiver.mood === "trickle") trickle(socket);
    else if (receiver.mood !== "silent") converse(socket, receiver);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const receiver: SmtpReceiver = {
    port: (server.address() as AddressInfo).port,
    mails: [],
    said: [],
    connections: () => made,
    open: () => sockets.size,
    mood: "serve",
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return receiver;
}

const TRICKLE_MS = 20;

/** After the greeting, an endless response that is never silent for long. */
function trickle(socket: Socket): void {
  socket.write("220 receiver.test ESMTP\r\n");
  socket.resume();
  const timer = setInterval(() => socket.write("250-wait\r\n"), TRICKLE_MS);
  socket.on("close", () => clearInterval(timer));
}

function converse(socket: Socket, receiver: SmtpReceiver): void {
  let unread = "";
  let mail: ReceivedMail = { from: "", to: [], data: "" };
  let inData = false;
  const reply = (line: string) => socket.write(`${line}\r\n`);
  reply("220 receiver.test ESMTP");
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    unread += chunk;
    for (let end = endOf(); end !== -1; end = endOf()) {
      const part = unread.slice(0, end);
      unread = unread.slice(end + (inData ? DATA_END.length : 2));
      if (inData) takeData(part);
      else takeLine(part);
    }
  });
  const endOf = () => unread.indexOf(inData ? DATA_END : "\r\n");
  const takeData = (data: string) => {
    inData = false;
    receiver.mails.push({ ...mail, data });
    mail = { from: "", to: [], data: "" };
    reply("250 taken");
  };
  const takeLine = (line: string) => {
    receiver.said.push(line);
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === "EHLO") reply("250-receiver.test\r\n250 AUTH PLAIN LOGIN");
    else if (verb === "STAR") return reply("502 no TLS here");
    else if (verb === "MAIL") mail.from = inBrackets(line);
    else if (verb === "RCPT" && receiver.mood === "refuse") return reply(`550 ${line} is not known here`);
    else if (verb === "RCPT") mail.to.push(inBrackets(line));
    else if (verb === "DATA") inData = true;
    if (verb === "DATA") reply("354 go on");
    else if (verb === "QUIT") socket.end("221 bye\r\n");
    else if (verb !== "EHLO") reply("250 well");
    return undefined;
  };
}

const DATA_END = "\r\n.\r\n";

const inBrackets = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? "";
