import type { EtcdApi } from "./options.ts";

export type PatroniVariant = { etcdApi: EtcdApi; isAsync: boolean };
export type MemberPorts = { name: string; postgresPort: number; restPort: number };

/** deploy/patroni/patroni.yml as it runs here: no watchdog device, no sockets, addresses by environment. */
export function adaptPatroniConfig(text: string, { etcdApi, isAsync }: PatroniVariant): string {
  let adapted = replaceOnce(text, "mode: required", 'mode: "off"');
  adapted = replaceOnce(
    adapted,
    "unix_socket_directories: /var/run/postgresql",
    "unix_socket_directories: ''",
  );
  adapted = replaceOnce(adapted, /^etcd3:$/m, etcdApi === "v2" ? "etcd:" : "etcd3:");
  if (!isAsync) return adapted;
  adapted = replaceOnce(adapted, "synchronous_mode: true", "synchronous_mode: false");
  return replaceOnce(adapted, "synchronous_mode_strict: true", "synchronous_mode_strict: false");
}

/** deploy/patroni/haproxy.cfg with the ports of this run. */
export function adaptHaproxyConfig(text: string, port: number, members: readonly MemberPorts[]): string {
  const bound = replaceOnce(text, "bind 127.0.0.1:5000", `bind 127.0.0.1:${port}`);
  return members.reduce(
    (config, { name, postgresPort, restPort }) =>
      replaceOnce(
        config,
        `${name}.internal:5432 check port 8008`,
        `127.0.0.1:${postgresPort} check port ${restPort}`,
      ),
    bound,
  );
}

/** The settings of one member that Patroni reads from its environment, as the head of the file describes. */
export const memberEnvironment = (
  { name, postgresPort, restPort }: MemberPorts,
  given: { dataDir: string; postgresBin: string; etcdPort: number; etcdApi: EtcdApi; password: string },
): Record<string, string> => ({
  PATRONI_NAME: name,
  PATRONI_RESTAPI_LISTEN: `127.0.0.1:${restPort}`,
  PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${restPort}`,
  PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${postgresPort}`,
  PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${postgresPort}`,
  PATRONI_POSTGRESQL_DATA_DIR: `${given.dataDir}/${name}`,
  PATRONI_POSTGRESQL_PGPASS: `${given.dataDir}/${name}.pgpass`,
  PATRONI_POSTGRESQL_BIN_DIR: given.postgresBin,
  [given.etcdApi === "v2" ? "PATRONI_ETCD_HOSTS" : "PATRONI_ETCD3_HOSTS"]: `127.0.0.1:${given.etcdPort}`,
  PATRONI_SUPERUSER_PASSWORD: given.password,
  PATRONI_REPLICATION_PASSWORD: given.password,
});

function replaceOnce(text: string, from: string | RegExp, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(`expected ${from} once in the configuration file, found it ${parts.length - 1} times`);
  return parts.join(to);
}
