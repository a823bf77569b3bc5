#!/usr/bin/env node
// What `npx scrip …` runs in an installed checkout. Written for any Node from 18 on.

import { run } from "../../scripts/run.mjs";

await run(process.argv.slice(2));
