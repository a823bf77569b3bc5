import { createTransport } from "nodemailer";
import type { Secret } from "../lib/secret.ts";

export type Mail = {
  /** The same for every try, so that mail programs can tell a repetition. */
  id: string;
  recipient: string;
  subject: string;
  body: string;
  date: Date;
};

export type SendMail = (mail: Mail) => Promise<void>;

export type SmtpTimeouts = { connectMs: number; idleMs: number; wallMs: number };

const SMTP_TIMEOUTS: SmtpTimeouts = { connectMs: 10_000, idleMs: 20_000, wallMs: 45_000 };
const SMTP_PORT = 587;
const SMTPS_PORT = 465;

/** Sends mails by the server of SMTP_URL. Credentials are given to it under TLS alone. */
export function createSmtpMail(
  { url, from }: { url: Secret<string>; from: string },
  changes: Partial<SmtpTimeouts> = {},
): SendMail {
  const timeouts = { ...SMTP_TIMEOUTS, ...changes };
  return async ({ id, recipient, subject, body, date }) => {
    const transport = createTransport({
      ...serverOf(new URL(url.reveal())),
      // A pool of one is the kind of transport whose connection can be cut off under way.
      pool: true,
      maxConnections: 1,
      maxRequeues: 0,
      connectionTimeout: timeouts.connectMs,
      greetingTimeout: timeouts.connectMs,
      dnsTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      // Whatever a mail is made of comes from us, and never from a file or an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    // A server that trickles its replies is never idle.
    const wall = Promise.withResolvers<never>();
    const timer = setTimeout(() => wall.reject(new MailTimedOut()), timeouts.wallMs);
    try {
      const sent = transport.sendMail({
        from,
        // As an object it is one address, whatever it holds.
        to: { name: "", address: recipient },
        subject,
        text: body,
        date,
        messageId: `<${id}@${domainOf(from)}>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
      await Promise.race([sent, wall.promise]);
    } finally {
      clearTimeout(timer);
      transport.close({ force: true });
    }
  };
}

class MailTimedOut extends Error {
  readonly code = "ETIMEDOUT";
  constructor() {
    super("the mail server took too long");
    this.name = "MailTimedOut";
  }
}

function serverOf(url: URL) {
  const secure = url.protocol === "smtps:";
  const hasUser = url.username !== "";
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (secure ? SMTPS_PORT : SMTP_PORT) : Number(url.port),
    secure,
    ...(hasUser ? { requireTLS: !secure, auth: credentialsOf(url) } : {}),
  };
}

const credentialsOf = (url: URL) => ({
  user: decodeURIComponent(url.username),
  pass: decodeURIComponent(url.password),
});

const domainOf = (from: string): string => /@([^\s<>@]+)>?$/.exec(from)?.[1] ?? "localhost";
