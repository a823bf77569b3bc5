import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "./run-program.ts";

export type BuiltImage = {
  /** What a runtime reads from the image. */
  config: ImageConfig;
  sizeBytes: number;
  baseSizeBytes: number;
  /** Where its files are: the root file system of a container. */
  root: string;
  remove(): Promise<void>;
};

export type ImageConfig = {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  StopSignal: string;
  Healthcheck?: { Test: string[] };
};

const SUITE = "bookworm";
const BASE = "localhost/scrip-check-base";
const IMAGE = "localhost/scrip-check";
const STEP_TIMEOUT_MS = 1_800_000;

/** Builds the Containerfile on a base that is made here, so that no image registry is needed. */
export async function buildImage(context: string, tell: (line: string) => void): Promise<BuiltImage> {
  const folder = await mkdtemp(join(tmpdir(), "scrip-image-"));
  // Storage of its own: images and containers of this machine are left alone, and all of it goes with the folder.
  const storage = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  const buildah = (...args: string[]) => runProgram("buildah", [...storage, ...args], STEP_TIMEOUT_MS);
  const remove = async () => {
    await buildah("umount", "--all").catch(() => {});
    await buildah("rm", "--all");
    await buildah("rmi", "--all", "--force");
    await rm(folder, { recursive: true, force: true });
  };
  try {
    tell("making a base with mmdebstrap");
    await makeBase(join(folder, "base.tar"), buildah);
    tell("building the Containerfile with buildah");
    await buildah(...buildArguments(context));
    const { Docker } = JSON.parse(await buildah("inspect", "--type", "image", IMAGE));
    const root = await buildah("mount", await buildah("from", "--pull-never", IMAGE));
    return {
      config: Docker.config,
      sizeBytes: await diskUsage(root),
      baseSizeBytes: await diskUsage(await buildah("mount", await buildah("from", "--pull-never", BASE))),
      root,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function makeBase(tar: string, buildah: (...args: string[]) => Promise<string>): Promise<void> {
  await runProgram(
    "mmdebstrap",
    ["--variant=minbase", "--include=ca-certificates", SUITE, tar],
    STEP_TIMEOUT_MS,
  );
  const container = await buildah("from", "scratch");
  await buildah("add", "--quiet", container, tar, "/");
  await buildah("commit", "--quiet", container, BASE);
  await buildah("rm", container);
  await rm(tar);
}

function buildArguments(context: string): string[] {
  const npmrc = join(homedir(), ".npmrc");
  return [
    "build",
    // Needs no rights over namespaces and cgroups, so it works inside other containers and machines.
    "--isolation=chroot",
    // The OCI format has no place for HEALTHCHECK.
    "--format=docker",
    `--build-arg=BASE=${BASE}`,
    `--build-arg=BUILD_BASE=${BASE}`,
    // npm trusts in the build whom it trusts here.
    "--volume=/etc/ssl/certs:/etc/ssl/certs:ro",
    ...(existsSync(npmrc) ? [`--secret=id=npmrc,src=${npmrc}`] : []),
    `--tag=${IMAGE}`,
    context,
  ];
}

const diskUsage = async (folder: string): Promise<number> =>
  Number((await runProgram("du", ["--summarize", "--bytes", folder])).split(/\s/, 1)[0]);
