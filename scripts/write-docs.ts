import fs from "node:fs";
import { configurationDocument } from "../server/src/config/document.ts";

/** Writes the documents that are made from the program's own tables; tests compare them. */
fs.writeFileSync(new URL("../docs/operating/configuration.md", import.meta.url), configurationDocument());
