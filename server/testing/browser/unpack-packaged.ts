// Unpacks the packaged browser into the temporary folder of this process, and prints the path of its program.
import { fileURLToPath } from "node:url";
import packed, { inflate } from "@sparticuz/chromium";

const libraries = new URL("../bin/al2023.tar.br", import.meta.resolve("@sparticuz/chromium"));
const [executablePath] = await Promise.all([packed.executablePath(), inflate(fileURLToPath(libraries))]);
process.stdout.write(executablePath);
