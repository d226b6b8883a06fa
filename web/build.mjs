// Bundles the page into remem/faces/web/static/: names of code and style carry a hash of what they hold.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "remem", "faces", "web", "static");

async function bundle(entry, format) {
  const made = await build({
    absWorkingDir: here,
    bundle: true,
    charset: "utf8",
    define: { WORKER: JSON.stringify(names.worker ?? "") },
    entryPoints: [join("src", entry)],
    format,
    legalComments: "none",
    minify: true,
    target: "es2022",
    write: false,
  });
  return made.outputFiles[0].contents;
}

function keep(stem, ending, contents) {
  const name = `${stem}-${createHash("sha256").update(contents).digest("hex").slice(0, 10)}.${ending}`;
  writeFileSync(join(out, name), contents);
  return name;
}

function listLicences() {
  const packages = ["sigma", "@sigma/node-border", "graphology", "graphology-utils", "graphology-layout-forceatlas2",
    "graphology-layout-noverlap", "events", "markdown-it", "entities", "linkify-it", "mdurl", "punycode.js", "uc.micro"];
  return packages.map((name) => {
    const folder = join(here, "node_modules", name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
    return `${name} ${version} (${license})\n\n${text}\n`;
  }).join(`\n${"-".repeat(78)}\n\n`);
}

/** What the bundle was made of, so that a test can tell without node whether it is up to date. */
function listSources() {
  const files = [...readdirSync(join(here, "src")).sort().map((name) => join("src", name)), "build.mjs", "package-lock.json"];
  return files.map((name) => `${createHash("sha256").update(readFileSync(join(here, name))).digest("hex")}  ${name.replaceAll("\\", "/")}\n`).join("");
}

const names = {};
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
names.worker = keep("layout", "js", await bundle("worker.ts", "iife"));
names.app = keep("app", "js", await bundle("main.ts", "iife"));
names.style = keep("app", "css", await bundle("style.css"));
const page = readFileSync(join(here, "src", "index.html"), "utf8");
writeFileSync(join(out, "index.html"), page.replace("{{style}}", names.style).replace("{{app}}", names.app));
writeFileSync(join(out, "LICENSES.txt"), listLicences());
writeFileSync(join(out, "SOURCES.txt"), listSources());
